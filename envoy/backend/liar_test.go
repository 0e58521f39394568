package backend

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/envoy/count"

	"github.com/stretchr/testify/require"
)

// A liar says that it is a cellserver, and answers CL.MWINDOW as a test says.
type liar struct {
	net.Listener
	reply atomic.Pointer[string] // nil: it answers nothing, for ever
}

func newLiar(t *testing.T) (*liar, count.Counter) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &liar{Listener: listener}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go l.serve(c)
		}
	}()
	b, err := OverRESP(RESPOptions{URL: listener.Addr().String()})
	require.NoError(t, err)
	await(t, b)
	return l, b
}

// serve answers one connection.
func (l *liar) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		words, err := readWords(r)
		if err != nil {
			return
		}
		reply := "+OK\r\n"
		switch strings.ToUpper(words[0]) {
		case "COMMAND":
			reply = "*1\r\n*0\r\n"
		case "INFO":
			reply = "$17\r\ncluster_enabled:0\r\n"
		case "PING":
			reply = "+PONG\r\n"
		case "CL.MWINDOW":
			lie := l.reply.Load()
			if lie == nil {
				_, _ = io.Copy(io.Discard, r) // until the client leaves
				return
			}
			reply = *lie
		}
		if _, err := io.WriteString(c, reply); err != nil {
			return
		}
	}
}

// readWords reads a command.
func readWords(r *bufio.Reader) (words []string, err error) {
	line := func() string {
		text, e := r.ReadString('\n')
		err = e
		return strings.TrimSpace(text)
	}
	n, _ := strconv.Atoi(strings.TrimPrefix(line(), "*"))
	for i := 0; i < n && err == nil; i++ {
		line()
		words = append(words, line())
	}
	if len(words) == 0 && err == nil {
		err = io.ErrUnexpectedEOF
	}
	return words, err
}

const honest = "*3\r\n:0\r\n:0\r\n*5\r\n:0\r\n:3\r\n:2\r\n:-1\r\n:50000\r\n"

// TestWrongRepliesAreErrors: what is no reply of CL.MWINDOW lets nobody pass.
func TestWrongRepliesAreErrors(t *testing.T) {
	l, b := newLiar(t)
	ask := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		_, err := b.Count(ctx, count.Request{Domain: "shop", Hits: []count.Hit{hit("a", 3, 1)}})
		return err
	}
	for _, lie := range []string{
		"+OK\r\n", ":1\r\n", "$-1\r\n", "*0\r\n", "*1\r\n:0\r\n", "*2\r\n:0\r\n:0\r\n", "*3\r\n:0\r\n:0\r\n*1\r\n:0\r\n",
		strings.Replace(honest, ":2\r\n", "+x\r\n", 1), strings.Replace(honest, "*5", "*6", 1) + ":1\r\n", honest[:20], "?\r\n",
		"*4611686018427387904\r\n", "*2000000\r\n", "$99999999999\r\n", "$99999999999999999999\r\n", strings.Repeat("*1000\r\n", 2000),
		"*-2\r\n", "%99999999999\r\n",
	} {
		l.reply.Store(&lie)
		require.Error(t, ask(), "%q", lie)
		lie = honest
		l.reply.Store(&lie)
		require.Eventually(t, func() bool { return ask() == nil }, time.Minute, 10*time.Millisecond, "it is back")
	}
}

// TestAServerThatStalls: each call ends at its deadline, also if very many wait, and all is well afterwards.
func TestAServerThatStalls(t *testing.T) {
	l, b := newLiar(t)
	var callers sync.WaitGroup
	var longest atomic.Int64
	begin := time.Now()
	for i := range 5000 {
		callers.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			_, err := b.Count(ctx, count.Request{Domain: "shop", Hits: []count.Hit{hit(fmt.Sprint(i), 3, 1)}})
			if err == nil {
				t.Error("an answer from nobody")
			}
			if took := int64(time.Since(begin)); took > longest.Load() {
				longest.Store(took)
			}
		})
	}
	callers.Wait()
	t.Log(time.Duration(longest.Load()))
	require.Less(t, time.Duration(longest.Load()), 20*time.Second, "one after the other, they would take a quarter of an hour")
	lie := honest
	l.reply.Store(&lie)
	require.Eventually(t, func() bool {
		_, err := b.Count(t.Context(), count.Request{Domain: "shop", Hits: []count.Hit{hit("a", 3, 1)}})
		return err == nil
	}, time.Minute, 10*time.Millisecond)
}

// TestTheCallerHearsOfAStoreThatStalls: the store has less time than the caller gives, so that on_failure holds.
func TestTheCallerHearsOfAStoreThatStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caller, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		for want, from := range map[time.Duration]context.Context{8 * time.Second: caller, time.Second: t.Context()} {
			ctx, cancel := inTime(from, time.Second)
			defer cancel()
			at, _ := ctx.Deadline()
			require.Equal(t, want, time.Until(at))
		}
	})
}

// TestLengths: what a reply may have passes in pieces of any size, and its texts may look like lengths.
func TestLengths(t *testing.T) {
	for text, want := range map[string]error{
		honest + honest: nil, "$11\r\n*9999999999\r\n+OK\r\n": nil, "*-1\r\n$-1\r\n:1\r\n": nil,
		"*1048577\r\n": errReply, "*1000000\r\n*1000000\r\n": errReply, "$16777217\r\n": errReply, "*x\r\n": errReply,
		"+" + strings.Repeat("x", mostReply): errReply, "*4\r\n" + strings.Repeat("$16777216\r\n"+strings.Repeat("x", mostText)+"\r\n", 3): errReply,
		"$9223372036854775807\r\n": errReply, "*-2\r\n": errReply, "$-2\r\n": errReply, "%1\r\n": errReply, "~1\r\n": errReply, ">1\r\n": errReply, "=1\r\n": errReply,
		"_ab*9\r\n": errReply, "$16\n": errReply, "$" + strings.Repeat("0", 24) + "9\r\n": errReply, "\r\n": errReply,
		strings.Repeat("*1\r\n", mostDeep+1): errReply, strings.Repeat("*1\r\n", mostDeep) + ":1\r\n" + honest: nil,
		strings.Repeat(honest, 1+mostReply/len(honest)):                  nil,
		"-" + strings.Repeat("e", 1000) + "\r\n*2\r\n:1\r\n$2\r\nab\r\n": nil,
	} {
		sizes := []int{1, 3, 1000}
		if len(text) > 1<<20 {
			sizes = []int{1000, 1 << 20}
		}
		for _, size := range sizes {
			l, got := lengths{}, error(nil)
			for rest := []byte(text); len(rest) > 0 && got == nil; {
				n := min(size, len(rest))
				got = l.check(rest[:n])
				rest = rest[n:]
			}
			require.Equal(t, want, got, "%.100q", text)
			if want == nil {
				require.Zero(t, len(l.open)+l.skip+len(l.line), "%.100q", text)
			}
		}
	}
}
