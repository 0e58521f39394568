package admin

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBgsave(t *testing.T) {
	h := servertest.New(t)
	started, scheduled := servertest.TypeOf("Background saving started"), servertest.TypeOf("Background saving scheduled")
	h.Want("BGSAVE", started)
	h.Want("BGSAVE SCHEDULE", started)
	h.Want("BGSAVE NOW", commands.ErrSyntax)
	h.Want("BGSAVE SCHEDULE NOW", commands.ErrSyntax)
	h.Disk.Busy = "rdb"
	h.Want("BGSAVE", errSaving)
	h.Want("BGSAVE SCHEDULE", errSaving)
	h.Disk.Busy = "aof"
	h.Want("BGSAVE", errOtherChild)
	h.Want("BGSAVE SCHEDULE", scheduled)
	h.Disk.Busy = ""
	h.Want("MULTI", ok)
	h.Want("BGSAVE", servertest.TypeOf("QUEUED"))
	h.Want("EXEC", []any{scheduled})
	h.Disk.Err = servertest.ErrDisk
	h.Want("BGSAVE", errBlank)
	require.Equal(t, 3, h.Disk.Saves)
	require.Equal(t, 2, h.Disk.Scheduled)
}
