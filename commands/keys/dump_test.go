package keys

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDump(t *testing.T) {
	h := servertest.New(t)
	h.Want("DUMP k", nil)
	h.Want("SET k v PX 100", ok)
	require.Equal(t, ourText, dumpOf(h, "k"))
	h.Want("DUMP", commands.WrongArity("dump").(commands.Error))
}
