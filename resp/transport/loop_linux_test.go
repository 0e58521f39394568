package transport

import (
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"
	"github.com/stretchr/testify/require"
)

// faulty is a handler that panics outside of its session: in Closed, after the command DOOM.
type faulty struct {
	heldEcho
	stalled chan struct{} // STALL sends here when it begins
	resume  chan struct{} // STALL waits here
	doomed  bool
}

func (f *faulty) Handle(args [][]byte, w *resp.Writer) resp.Status {
	switch string(args[0]) {
	case "STALL":
		f.stalled <- struct{}{}
		<-f.resume
	case "DOOM":
		f.doomed = true
	}
	return f.heldEcho.Handle(args, w)
}

func (f *faulty) Closed() {
	f.heldEcho.Closed()
	if f.doomed {
		panic("at the end")
	}
}

// A panic outside of a session does not cost other clients of the same turn their replies.
func TestPanicOfALoop(t *testing.T) {
	s := &echoServer{}
	s.Loops = 1
	stalled, resume := make(chan struct{}), make(chan struct{})
	s.handleWith(func(h heldEcho) resp.Handler { return &faulty{heldEcho: h, stalled: stalled, resume: resume} })
	startEcho(t, s, nil)
	clients := make([]*resptest.Client, 8)
	for i := range clients {
		clients[i] = resptest.Dial(t, s.addr)
		word := []string{"hello", "DOOM"}[i%2]
		require.Equal(t, []any{word}, clients[i].Do(word))
	}
	clients[0].Write([]byte(wire("STALL")))
	<-stalled
	for i, c := range clients[1:] {
		if i%2 == 0 {
			c.Close()
		} else {
			c.Write([]byte(wire("x")))
		}
	}
	close(resume)
	require.Equal(t, []any{"STALL"}, clients[0].Recv())
	for i, c := range clients[1:] {
		if i%2 == 1 {
			require.Equal(t, []any{"x"}, c.Recv())
			require.Equal(t, []any{"again"}, c.Do("again"))
		}
	}
}
