package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSave(t *testing.T) {
	h := newHarness(t)
	h.want("SAVE", ok)
	require.Equal(t, 1, h.disk.saves)
	h.disk.writing = "rdb"
	h.want("SAVE", errSaving)
	h.disk.writing = "aof"
	h.want("SAVE", ok)
	h.disk.err = errDisk
	h.want("SAVE", errBlank)
	require.Equal(t, 3, h.disk.saves)
	h.want("MULTI", ok)
	h.want("SAVE", errNotInMulti)
}
