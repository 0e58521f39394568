package commands

import (
	"errors"
	"testing"

	"cellserver/resp"

	"github.com/stretchr/testify/require"
)

func TestShutdown(t *testing.T) {
	h := newHarness(t)
	h.want("SHUTDOWN", Error("ERR Errors trying to SHUTDOWN. Check logs."))
	var asked []ShutdownMode
	h.server.shutdown = func(m ShutdownMode) error {
		asked = append(asked, m)
		return errors.New("no room on disk")
	}
	h.want("SHUTDOWN SAVE", Error("ERR Errors trying to SHUTDOWN. Check logs."))
	for _, line := range []string{"SHUTDOWN foo", "SHUTDOWN save NOSAVE", "SHUTDOWN ABORT NOW", "SHUTDOWN NOW NOW x"} {
		h.want(line, errSyntax)
	}
	h.want("SHUTDOWN ABORT", Error("ERR No shutdown in progress."))
	h.do("MULTI")
	h.want("SHUTDOWN", errNotInMulti)
	h.do("DISCARD")
	h.server.shutdown = func(m ShutdownMode) error {
		asked = append(asked, m)
		return nil
	}
	h.silent("SHUTDOWN nosave NOW force")
	require.Equal(t, resp.Close, h.status)
	require.Equal(t, []ShutdownMode{{Save: true}, {NoSave: true, Now: true, Force: true}}, asked)
}
