package admin

import (
	"errors"
	"testing"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestShutdown(t *testing.T) {
	servertest.New(t).Want("SHUTDOWN", commands.Error("ERR Errors trying to SHUTDOWN. Check logs."))
	var asked []commands.ShutdownMode
	failure := errors.New("no room on disk")
	h := servertest.NewAt(t, &servertest.Edge{Shutdown: func(m commands.ShutdownMode) error {
		asked = append(asked, m)
		return failure
	}})
	h.Want("SHUTDOWN SAVE", commands.Error("ERR Errors trying to SHUTDOWN. Check logs."))
	for _, line := range []string{"SHUTDOWN foo", "SHUTDOWN save NOSAVE", "SHUTDOWN ABORT NOW", "SHUTDOWN NOW NOW x"} {
		h.Want(line, commands.ErrSyntax)
	}
	h.Want("SHUTDOWN ABORT", commands.Error("ERR No shutdown in progress."))
	h.Do("MULTI")
	h.Want("SHUTDOWN", commands.ErrNotInMulti)
	h.Do("DISCARD")
	failure = nil
	h.Silent("SHUTDOWN nosave NOW force")
	require.Equal(t, resp.Close, h.Status)
	require.Equal(t, []commands.ShutdownMode{{Save: true}, {NoSave: true, Now: true, Force: true}}, asked)
}
