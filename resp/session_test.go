package resp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSessionRunsABatch(t *testing.T) {
	h := &echo{}
	s := NewSession(h)
	out, st := feed(s, []byte(wire("GET", "a")+"set  'b c' \"\\x41\\n\"\r\n"+wire("", "x")), 1<<20)
	require.Equal(t, Continue, st)
	require.Equal(t, echoed("GET", "a")+echoed("set", "b c", "A\n")+echoed("", "x"), out)
	require.Equal(t, []string{"end"}, h.diary)
	require.Zero(t, s.Buffered())
}

func TestSessionRunsNothingAfterClose(t *testing.T) {
	s := NewSession(&echo{})
	out, st := feed(s, []byte(wire("CLOSE")+wire("PING")), 1<<20)
	require.Equal(t, Close, st)
	require.Equal(t, "+OK\r\n", out)
	require.Equal(t, Close, s.Filled(copy(s.Space(), "PING\r\n")))
	require.Empty(t, s.Output())
}

func TestSessionRetries(t *testing.T) {
	h := &echo{retries: 2}
	s := NewSession(h)
	in := wire("A") + wire("RETRY", "x") + wire("B")
	require.Equal(t, Retry, s.Filled(copy(s.Space(), in)))
	require.Equal(t, echoed("A"), string(s.Output()))
	require.Equal(t, Retry, s.Resume())
	require.Equal(t, Continue, s.Resume())
	require.Equal(t, echoed("A")+"+half done\r\n"+echoed("RETRY", "x")+echoed("B"), string(s.Output()))
	require.Equal(t, "end end end", strings.Join(h.diary, " "))
}

func TestSessionClosesAfterAPanic(t *testing.T) {
	h := &echo{}
	s := NewSession(h)
	require.Equal(t, Close, s.Filled(copy(s.Space(), wire("A")+wire("PANIC")+wire("B"))))
	require.Equal(t, echoed("A"), string(s.Output()), "replies before the panic stand, its own does not")
	require.Equal(t, []string{"failed: PANIC was sent, stack true", "end"}, h.diary)
	require.Equal(t, Close, s.Resume())
}

// The session asks for the need of a batch after its End, also after a panic. A batch without a command needs nothing.
func TestSessionNeed(t *testing.T) {
	s := NewSession(&echo{need: 7})
	require.Zero(t, s.Need())
	request := wire("A")
	s.Filled(copy(s.Space(), request[:5]))
	require.Zero(t, s.Need())
	s.Filled(copy(s.Space(), request[5:]))
	require.EqualValues(t, 7, s.Need())
	s.Filled(copy(s.Space(), request[:5]))
	require.Zero(t, s.Need())
	s.Filled(copy(s.Space(), request[5:]+wire("PANIC")))
	require.EqualValues(t, 7, s.Need())
	s.Resume()
	require.Zero(t, s.Need())
}

// The replies of a pipeline with big replies must be sent while the pipeline runs.
func TestSessionAsksToFlush(t *testing.T) {
	s := NewSession(&echo{})
	st := s.Filled(copy(s.Space(), strings.Repeat(wire("BIG", "300000"), 20)))
	flushes, sent := 0, 0
	for ; st == Flush; st = s.Resume() {
		require.Less(t, len(s.Output()), flushAt+400_000)
		sent += len(s.Output())
		s.Sent()
		flushes++
	}
	require.Equal(t, Continue, st)
	require.Equal(t, 5, flushes)
	require.Equal(t, 20*300_011, sent+len(s.Output()))
}
