package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBgsave(t *testing.T) {
	h := newHarness(t)
	started, scheduled := typeOf("Background saving started"), typeOf("Background saving scheduled")
	h.want("BGSAVE", started)
	h.want("BGSAVE SCHEDULE", started)
	h.want("BGSAVE NOW", errSyntax)
	h.want("BGSAVE SCHEDULE NOW", errSyntax)
	h.disk.writing = "rdb"
	h.want("BGSAVE", errSaving)
	h.want("BGSAVE SCHEDULE", errSaving)
	h.disk.writing = "aof"
	h.want("BGSAVE", errOtherChild)
	h.want("BGSAVE SCHEDULE", scheduled)
	h.disk.writing = ""
	h.want("MULTI", ok)
	h.want("BGSAVE", typeOf("QUEUED"))
	h.want("EXEC", []any{scheduled})
	h.disk.err = errDisk
	h.want("BGSAVE", errBlank)
	require.Equal(t, 3, h.disk.saves)
	require.Equal(t, 2, h.disk.scheduled)
}
