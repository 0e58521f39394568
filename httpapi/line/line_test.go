package line

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"cellserver/commands"
	"cellserver/limiters/rules"
	"cellserver/resp"

	"github.com/stretchr/testify/require"
)

// handler replies OK, and keeps the question of each command.
type handler struct {
	resp.Handler // panics in all other methods
	conn         commands.Conn
	took         []*rules.Question
	statuses     []resp.Status // of the next commands; Close is a panic
	failed       int
}

func (h *handler) Conn() *commands.Conn { return &h.conn }
func (*handler) Prefetch([][]byte)      {}
func (*handler) End() uint64            { return 0 }
func (*handler) Limits() resp.Limits    { return resp.Limits{} }
func (*handler) Closed()                {}
func (*handler) RetryAfter() int64      { return 1e7 }
func (h *handler) Failed(any, []byte)   { h.failed++ }

func (h *handler) Handle(_ [][]byte, w *resp.Writer) resp.Status {
	h.took = append(h.took, h.conn.Link.Asked)
	w.OK()
	if len(h.statuses) == 0 {
		return resp.Continue
	}
	st := h.statuses[0]
	if h.statuses = h.statuses[1:]; st == resp.Close {
		panic("a fault")
	}
	return st
}

// TestIdleLinesKeepNoRequest: a line forgets a question before it is free again.
func TestIdleLinesKeepNoRequest(t *testing.T) {
	h := new(handler)
	lines := New(1, nil, func(commands.Peer) Handler { return h })
	defer lines.Close()
	q := new(rules.Question)
	_, err := lines.Ask(t.Context(), q.Words([]string{"rule"}, []string{"key"}), q)
	require.NoError(t, err)
	require.Nil(t, h.conn.Link.Asked)
	require.NoError(t, lines.Do(t.Context(), []string{"PING"}, func(resp.Reply) {}))
	require.Equal(t, []*rules.Question{q, nil}, h.took)
}

// TestCommandsRunAgain: a line tries a command that is held back or takes long again, and drops what it wrote.
func TestCommandsRunAgain(t *testing.T) { synctest.Test(t, runAgain) }

func runAgain(t *testing.T) {
	h := &handler{statuses: []resp.Status{resp.Retry, resp.Retry, resp.Offload, resp.Flush}}
	lines := New(1, nil, func(commands.Peer) Handler { return h })
	defer lines.Close()
	var got resp.Reply
	require.NoError(t, lines.Do(t.Context(), []string{"GET", "k"}, func(r resp.Reply) { got = r }))
	require.Equal(t, resp.ReplyOf([]byte("+OK\r\n")), got)
	require.Len(t, h.took, 4)

	h.statuses = slices.Repeat([]resp.Status{resp.Retry}, 1000)
	require.ErrorIs(t, lines.Do(t.Context(), []string{"GET", "k"}, nil), context.DeadlineExceeded)
}

// TestClientsThatLeave: a client that may have closed only its side of the connection gets its answer if that comes soon, also if it
// waits for a line.
func TestClientsThatLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(handler)
		lines := New(1, nil, func(commands.Peer) Handler { return h })
		defer lines.Close()
		left, leave := context.WithCancel(t.Context())
		leave()
		h.statuses = slices.Repeat([]resp.Status{resp.Retry}, 90)
		go func() { _ = lines.Do(t.Context(), []string{"GET", "k"}, func(resp.Reply) {}) }()
		synctest.Wait()
		require.NoError(t, lines.Do(left, []string{"GET", "k"}, func(resp.Reply) {}))
		require.Empty(t, h.statuses)

		h.statuses = slices.Repeat([]resp.Status{resp.Retry}, 90)
		require.NoError(t, lines.Do(left, []string{"GET", "k"}, func(resp.Reply) {}))
		h.statuses = slices.Repeat([]resp.Status{resp.Retry}, 110)
		require.ErrorIs(t, lines.Do(left, []string{"GET", "k"}, nil), context.Canceled)
	})
}

// TestPanicsEndTheLine: a command that panics has no reply, and the next one gets another line.
func TestPanicsEndTheLine(t *testing.T) {
	opened, h := 0, &handler{statuses: []resp.Status{resp.Close}}
	lines := New(1, nil, func(commands.Peer) Handler { opened++; return h })
	defer lines.Close()
	require.ErrorIs(t, lines.Do(t.Context(), []string{"GET", "k"}, nil), errCut)
	require.Equal(t, 1, h.failed)
	require.NoError(t, lines.Do(t.Context(), []string{"GET", "k"}, func(resp.Reply) {}))
	require.Equal(t, 2, opened)
}
