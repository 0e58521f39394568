package line

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp"

	"github.com/stretchr/testify/require"
)

// handler replies OK, and keeps who took the decisions of each command.
type handler struct {
	resp.Handler // panics in all other methods
	conn         commands.Conn
	took         []commands.Decisions
}

func (h *handler) Conn() *commands.Conn { return &h.conn }
func (*handler) Prefetch([][]byte)      {}
func (*handler) End() uint64            { return 0 }
func (*handler) Limits() resp.Limits    { return resp.Limits{} }
func (*handler) Closed()                {}

func (h *handler) Handle(_ [][]byte, w *resp.Writer) resp.Status {
	h.took = append(h.took, h.conn.Link.Decisions)
	w.OK()
	return resp.Continue
}

// TestIdleLinesKeepNoRequest: a line forgets who takes its decisions before it is free again.
func TestIdleLinesKeepNoRequest(t *testing.T) {
	h := new(handler)
	lines := New(1, nil, func(commands.Peer) Handler { return h })
	defer lines.Close()
	caller := &struct{ commands.Decisions }{}
	text := func(r Reply) { require.Empty(t, r.Error()) }
	require.NoError(t, lines.Decide(t.Context(), []string{"CL.MCHECK"}, caller, text))
	require.Nil(t, h.conn.Link.Decisions)
	require.NoError(t, lines.Do(t.Context(), []string{"PING"}, text))
	require.Equal(t, []commands.Decisions{caller, nil}, h.took)
}
