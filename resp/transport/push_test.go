package transport

import (
	"cellserver/resp"
	"cellserver/resp/resptest"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPushToAnIdleClient(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Do("x")
		for i := range 100 {
			s.conn(0).Push([]byte("+pushed\r\n"))
			require.Equal(t, resptest.Simple("pushed"), c.Recv(), i)
		}
	})
}

// A message that is pushed before a request comes before the reply.
func TestPushBeforeARequest(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Do("x")
		for range 2000 {
			s.conn(0).Push([]byte("+pushed\r\n"))
			c.Write([]byte(wire("x")))
			require.Equal(t, resptest.Simple("pushed"), c.Recv())
			require.Equal(t, []any{"x"}, c.Recv())
		}
	})
}

// PushLimit bounds the messages for a client that does not read, if there is no OutputLimit.
func TestPushLimit(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		s.PushLimit = 1000
		s.hold = func(c *Conn) {
			for range 100 { // nothing leaves while the batch runs
				c.Push([]byte("+ten bytes\r\n"))
				require.LessOrEqual(t, c.Pending(), 1000)
			}
		}
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		require.Equal(t, []any{"x"}, c.Do("x"))
		c.Write([]byte(wire("HOLD")))
		require.Empty(t, c.ReadAll())
	})
}

// A message that is pushed while a batch runs comes after the replies of the batch.
func TestPushWaitsForTheBatch(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		s.hold = func(c *Conn) {
			c.Push([]byte("+one\r\n"))
			c.Push([]byte("+two\r\n"))
		}
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Write([]byte(wire("a") + wire("HOLD") + wire("b")))
		for _, want := range []any{[]any{"a"}, []any{"HOLD"}, []any{"b"}, resptest.Simple("one"), resptest.Simple("two")} {
			require.Equal(t, want, c.Recv())
		}
	})
}

// Many goroutines push to a client that pipelines. Every message arrives whole. The messages of one goroutine, and the
// replies, keep their order.
func TestPushesAndRepliesInterleave(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		const pushers, messages, commands = 4, 300, 300
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Do("x")
		for p := range pushers {
			go func() {
				for i := range messages {
					var w resp.Writer
					w.Proto = 3
					w.Push(2)
					w.Int(int64(p))
					w.Int(int64(i))
					s.conn(0).Push(w.Bytes())
				}
			}()
		}
		go func() {
			for range commands / 3 {
				c.NetConn().Write([]byte(wire("1") + wire("2") + wire("3")))
			}
		}()
		next := make([]int64, pushers)
		for pushed, replied := 0, 0; pushed < pushers*messages || replied < commands; {
			switch v := c.Recv().(type) {
			case resptest.Push:
				p := v[0].(int64)
				require.Equal(t, next[p], v[1])
				next[p]++
				pushed++
			case []any:
				require.Equal(t, string(rune('1'+replied%3)), v[0])
				replied++
			}
		}
	})
}

// OutputLimit bounds the memory for a client that does not read, and Push does not block.
func TestSlowReaderIsClosed(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		const limit = 1 << 20
		s.outputLimit = limit
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Do("x")
		message := []byte("$1000\r\n" + strings.Repeat("x", 1000) + "\r\n")
		conn := s.conn(0)
		for pushed := 0; ; pushed += len(message) {
			require.Less(t, pushed, 64<<20, "the limit must be met")
			conn.Push(message)
			require.LessOrEqual(t, conn.Pending(), limit)
			if conn.Gone() {
				require.Zero(t, len(conn.queue))
				return
			}
		}
	})
}

// TestMessagesThatAreTakenCount pushes while messages leave the queue: they count until they are sent. Before, an event loop
// took them, and as many could be pushed again.
func TestMessagesThatAreTakenCount(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		s.outputLimit = 1000
		pending := make(chan int, 2)
		var once sync.Once
		s.taken = func(c *Conn) {
			once.Do(func() {
				pending <- c.Pending()
				c.Push([]byte(strings.Repeat("x", 600)))
				pending <- c.Pending()
			})
		}
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Do("x")
		s.conn(0).Push([]byte("+" + strings.Repeat("x", 597) + "\r\n"))
		require.Equal(t, 600, <-pending)
		require.Zero(t, <-pending, "it is closed")
	})
}

// TestAGrowingReplyCounts pushes while a command writes a long reply. Both together exceed OutputLimit by at
// most one segment of a reply. Before, each of them could be as large as OutputLimit.
func TestAGrowingReplyCounts(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		const limit, piece = 16 << 20, 256 << 10
		s.outputLimit = limit
		most := make(chan int, 1)
		s.hold = func(c *Conn) {
			total, w, bytes := 0, c.session.Writer(), make([]byte, piece)
			for range 2 * limit / piece {
				w.Raw(bytes)
				c.Push(bytes)
				c.mu.Lock()
				total = max(total, w.Len()+len(c.queue))
				c.mu.Unlock()
			}
			most <- total
		}
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Do("x")
		c.Write([]byte(wire("HOLD")))
		total := <-most
		require.Greater(t, total, limit-piece)
		require.LessOrEqual(t, total, limit+2<<20)
		require.Empty(t, c.ReadAll())
	})
}

func TestReplyBeyondTheOutputLimit(t *testing.T) {
	withLoopAndWorkers(t, func(t *testing.T, s *echoServer) {
		s.outputLimit = 1000
		startEcho(t, s, nil)
		c := resptest.Dial(t, s.addr)
		c.Send("BIG", "2000")
		_, err := c.TryRecv()
		require.ErrorIs(t, err, io.EOF)
	})
}
