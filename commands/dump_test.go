package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDump(t *testing.T) {
	h := newHarness(t)
	h.want("DUMP k", nil)
	h.want("SET k v PX 100", ok)
	require.Equal(t, ourText, h.dumpOf("k"))
	h.want("DUMP", wrongArity("dump").(Error))
}
