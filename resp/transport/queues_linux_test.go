package transport

import (
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// worked is what the handlers of one event loop did. Only the loop uses it, or the test while STALL waits.
type worked struct {
	bytes           int // arguments of all commands
	long            int // those of LONG
	stalled, resume chan struct{}
}

// working counts the arguments of its commands, and answers OK.
type working struct {
	heldEcho
	*worked
}

func (h *working) Handle(args [][]byte, w *resp.Writer) resp.Status {
	for _, a := range args {
		h.bytes += len(a)
	}
	switch string(args[0]) {
	case "LONG":
		h.long += len(args[1])
	case "STALL":
		h.stalled <- struct{}{}
		<-h.resume
	case "WORKED":
		w.Ints(int64(h.bytes), int64(h.long))
		return resp.Continue
	}
	w.OK()
	return resp.Continue
}

func startWorking(t *testing.T) (*echoServer, *worked) {
	s, all := &echoServer{}, &worked{stalled: make(chan struct{}), resume: make(chan struct{})}
	s.Loops = 1
	s.handleWith(func(h heldEcho) resp.Handler { return &working{h, all} })
	startEcho(t, s, listenUnix(t))
	return s, all
}

// listenUnix listens on a socket to which a write returns when its bytes have arrived. TCP may deliver them later.
func listenUnix(t *testing.T) net.Listener {
	ln, err := net.Listen("unix", resptest.SocketPath(t))
	require.NoError(t, err)
	return ln
}

// flood makes clients send four full reads each, while STALL stops the loop. One client has another STALL in its third
// read. flood returns when the loop reaches it. By then each client has had a long batch, and has more to read.
func flood(t *testing.T, s *echoServer, w *worked, clients int) {
	all := make([]*resptest.Client, clients)
	for i := range all {
		all[i] = resptest.Dial(t, s.addr)
		all[i].Do("x")
		require.NoError(t, all[i].NetConn().(*net.UnixConn).SetWriteBuffer(4*readSize))
	}
	stalling := resptest.Dial(t, s.addr)
	stalling.Write([]byte(wire("STALL")))
	<-w.stalled
	long := wire("LONG", strings.Repeat("v", 1000))
	request := []byte(strings.Repeat(long, 4*readSize/len(long)))
	middle := readSize * 5 / 2 / len(long) * len(long)
	for i, c := range all {
		if i == clients/2 {
			c.Write(slices.Concat(request[:middle], []byte(wire("STALL")), request[middle:]))
		} else {
			c.Write(request)
		}
	}
	w.resume <- struct{}{}
	<-w.stalled
}

// A client with short batches waits for a turn or two, and not for a batch of each client that sends without end.
func TestShortBatchesComeFirst(t *testing.T) {
	s, w := startWorking(t)
	short := resptest.Dial(t, s.addr)
	short.Do("x")
	const clients = 200
	flood(t, s, w, clients)
	before := w.bytes
	short.Write([]byte(wire("WORKED")))
	w.resume <- struct{}{}
	after := int(short.Recv().([]any)[0].(int64))
	require.Less(t, after-before, 2*turnWork, "a batch of each client is %d", clients*readSize)
}

// Long batches have their share of every turn, whatever the clients with short batches send.
func TestLongBatchesHaveAShare(t *testing.T) {
	s, w := startWorking(t)
	short := make([]*resptest.Client, 3*turnWork/longBatch)
	for i := range short {
		short[i] = resptest.Dial(t, s.addr)
		short[i].Do("x")
	}
	flood(t, s, w, 10)
	// Three turns of work. Each request is counted twice: received, and run.
	request := wire("SET", strings.Repeat("v", longBatch/2-1000)) + wire("WORKED")
	for _, c := range short {
		c.Write([]byte(request))
	}
	w.resume <- struct{}{}
	var long []int64
	for _, c := range short {
		require.Equal(t, resptest.Simple("OK"), c.Recv())
		long = append(long, c.Recv().([]any)[1].(int64))
	}
	require.GreaterOrEqual(t, int(slices.Max(long)-slices.Min(long)), longShare/2, "between the first turn and the last")
}

// A client whose batches are long goes to a worker while it waits in the queue. The loop serves it when it comes back.
func TestLongBatchesComeBackFromAWorker(t *testing.T) {
	s := &echoServer{hold: func(*Conn) {}}
	s.Loops = 1
	startEcho(t, s, nil)
	c := resptest.Dial(t, s.addr)
	long := []string{"SET", strings.Repeat("v", readSize)}
	for range 3 {
		go c.NetConn().Write([]byte(wire(long...) + wire("HOLD") + wire(long...) + wire(long...)))
		for _, expected := range [][]string{long, {"HOLD"}, long, long} {
			reply := c.Recv().([]any)
			require.Equal(t, expected[0], reply[0])
		}
		require.Equal(t, []any{"x"}, c.Do("x"))
	}
}

// A client is queued once, however often it sends. So the queues have a bound.
func TestQueuesHaveABound(t *testing.T) {
	s, w := startWorking(t)
	c := resptest.Dial(t, s.addr)
	go func() {
		long := []byte(wire("LONG", strings.Repeat("v", 90_000)))
		for range 200 {
			c.NetConn().Write(long)
		}
		c.NetConn().Write([]byte(wire("STALL")))
	}()
	<-w.stalled
	l := s.loops.all[0]
	require.LessOrEqual(t, len(l.ready[l.served:])+len(l.again)+len(l.long), 1)
	w.resume <- struct{}{}
}

// Requests that arrive while the loop is busy run in the order of their arrival.
func TestBatchesRunInTheOrderOfArrival(t *testing.T) {
	s, w := startWorking(t)
	stalling, clients := resptest.Dial(t, s.addr), make([]*resptest.Client, 20)
	stalling.Do("x")
	for i := range clients {
		clients[i] = resptest.Dial(t, s.addr)
		clients[i].Do("x")
	}
	stall := func() {
		stalling.Write([]byte(wire("STALL")))
		<-w.stalled
	}
	worked := func(some ...*resptest.Client) (order []int64) {
		for _, c := range some {
			order = append(order, c.Recv().([]any)[0].(int64))
		}
		return order
	}
	stall()
	for _, c := range clients {
		c.Write([]byte(wire("WORKED")))
	}
	w.resume <- struct{}{}
	require.IsIncreasing(t, worked(clients...))

	// A client that gets a message in a turn has its batch in the next turn, and is the first there.
	stall()
	s.conn(1).Push([]byte("+message\r\n"))
	clients[0].Write([]byte(wire("WORKED")))
	stalling.Write([]byte(wire("STALL")))
	w.resume <- struct{}{}
	<-w.stalled
	clients[1].Write([]byte(wire("WORKED")))
	w.resume <- struct{}{}
	require.Equal(t, resptest.Simple("message"), clients[0].Recv())
	require.IsIncreasing(t, worked(clients[0], clients[1]))
}

// A client that comes back from a worker is still known for its long batches. It keeps its place in the queue.
func TestLongBatchesAreRemembered(t *testing.T) {
	l, err := newLoop(&host{}, false, func() int64 { return 0 })
	require.NoError(t, err)
	defer l.close()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	require.NoError(t, err)
	defer syscall.Close(ends[0])
	defer syscall.Close(ends[1])
	c := new(Conn)
	c.fd, c.long = ends[0], true
	require.True(t, l.add(c))
	l.enqueue(c, &l.ready)
	l.poll.remove(c.fd) // as release does
	require.True(t, l.add(c))
	l.enqueue(c, &l.ready)
	require.Equal(t, []int{c.fd}, l.long)
	require.Empty(t, l.ready)
}

// The memory of a command that is not complete counts as work, once. A lent buffer does not count.
func TestNewMemoryIsWork(t *testing.T) {
	var q queues
	c := &Conn{session: resp.NewSession(&echo{})}
	receive := func(request string) {
		space := c.session.Lend(make([]byte, readSize), func() []byte { return make([]byte, 0, readSize) })
		c.session.Filled(copy(space, request))
		c.session.GiveBack()
	}
	receive("*100000\r\n" + strings.Repeat("$1\r\nx\r\n", 500))
	require.Positive(t, c.session.Buffered())
	grown := c.session.InputCapacity()
	require.Greater(t, grown, 8<<10)
	require.Less(t, grown, readSize)
	q.countWork(c, 100)
	require.Equal(t, 100+2*grown, q.work)
	q.countWork(c, 100)
	require.Equal(t, 200+2*grown, q.work)
	require.False(t, c.long)
}

// telling pushes a message to the first client for each TELL, and has the next TELL sent until TELLS comes. Its messages
// wait for the barrier.
type telling struct {
	heldEcho
	*told
}

// told is what the handlers of one event loop have done. Only the loop uses it.
type told struct {
	tells int
	over  bool
	again func(tells int)
}

func (telling) MessageNeed() uint64 { return 1 }

func (h *telling) Handle(args [][]byte, w *resp.Writer) resp.Status {
	switch string(args[0]) {
	case "TELL":
		h.tells++
		h.s.conn(0).Push([]byte("+told\r\n"))
		if !h.over {
			h.again(h.tells)
		}
	case "TELLS":
		h.over = true
		w.Int(int64(h.tells))
		return resp.Continue
	}
	w.OK()
	return resp.Continue
}

// TestMessagesDoNotDelayRequests: a client that gets a message in each turn still has its batches.
func TestMessagesDoNotDelayRequests(t *testing.T) {
	const most = 200
	s := &echoServer{}
	s.Loops = 1
	ln := listenUnix(t) // the clients are there before the loop that uses them
	listener, teller := resptest.Dial(t, ln.Addr().String()), resptest.Dial(t, ln.Addr().String())
	all := &told{again: func(tells int) {
		if tells == 10 {
			listener.Write([]byte(wire("TELLS")))
		}
		if tells < most {
			teller.Write([]byte(wire("TELL")))
		}
	}}
	s.handleWith(func(h heldEcho) resp.Handler { return &telling{h, all} })
	startEcho(t, s, ln)
	listener.Do("x")
	teller.Do("x")
	teller.Write([]byte(wire("TELL")))
	got := listener.Recv()
	for got == resptest.Simple("told") {
		got = listener.Recv()
	}
	require.Less(t, got, int64(most/2), "the request waited for the end of the messages")
}

// TestMessagesOfAClientThatLeaves: a client that has closed its side still gets the messages of the turn.
func TestMessagesOfAClientThatLeaves(t *testing.T) {
	s, w := startWorking(t)
	listener := resptest.Dial(t, s.addr)
	listener.Do("x")
	other := resptest.Dial(t, s.addr)
	other.Do("x")
	other.Write([]byte(wire("STALL")))
	<-w.stalled
	s.conn(0).Push([]byte("+told\r\n"))
	require.NoError(t, listener.NetConn().(interface{ CloseWrite() error }).CloseWrite())
	w.resume <- struct{}{}
	require.Equal(t, "+told\r\n", string(listener.ReadAll()))
}
