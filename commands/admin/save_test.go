package admin

import (
	"cellserver/commands"
	"cellserver/commands/commandtest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSave(t *testing.T) {
	h := commandtest.New(t)
	h.Want("SAVE", ok)
	require.Equal(t, 1, h.Disk.Saves)
	h.Disk.Busy = "rdb"
	h.Want("SAVE", errSaving)
	h.Disk.Busy = "aof"
	h.Want("SAVE", ok)
	h.Disk.Err = commandtest.ErrDisk
	h.Want("SAVE", errBlank)
	require.Equal(t, 3, h.Disk.Saves)
	h.Want("MULTI", ok)
	h.Want("SAVE", commands.ErrNotInMulti)
}
