package admin

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestSave(t *testing.T) {
	h := servertest.New(t)
	h.Want("SAVE", ok)
	require.Equal(t, 1, h.Disk.Saves)
	h.Disk.Busy = "rdb"
	h.Want("SAVE", errSaving)
	h.Disk.Busy = "aof"
	h.Want("SAVE", ok)
	h.Disk.Err = servertest.ErrDisk
	h.Want("SAVE", errBlank)
	h.Disk.Err = commands.ErrClusterSnapshot
	h.Want("SAVE", commands.ErrClusterSnapshot)
	require.Equal(t, 4, h.Disk.Saves)
	h.Want("MULTI", ok)
	h.Want("SAVE", commands.ErrNotInMulti)
}
