package keys

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestFlushDB(t *testing.T) {
	h := servertest.New(t)
	h.Want("MSET a 1 b 2", ok)
	h.Want("SELECT 1", ok)
	h.Want("SET a 1", ok)
	h.Want("FLUSHDB", ok)
	h.Want("DBSIZE", 0)
	h.Want("SELECT 0", ok)
	h.Want("DBSIZE", 2)
	h.Want("FLUSHDB now", commands.ErrSyntax)
	h.Want("FLUSHDB SYNC ASYNC", commands.ErrSyntax)
	h.Want("WATCH a absent", ok)
	h.NewClient(t).Want("FLUSHDB async", ok)
	h.Want("MULTI", ok)
	h.Want("EXEC", resptest.NilArray)
}

func TestFlushAllEmptiesTheDisk(t *testing.T) {
	h := servertest.New(t)
	h.Want("FLUSHALL nonsense", commands.ErrSyntax)
	h.Want("FLUSHDB", ok)
	h.Want("MULTI", ok)
	h.Want("FLUSHALL", resptest.Simple("QUEUED"))
	require.Zero(t, h.Disk.Flushes)
	h.Want("EXEC", []any{ok})
	h.Want("FLUSHALL", ok)
	require.Equal(t, 2, h.Disk.Flushes)
	h.Want("MULTI", ok)
	h.Want("FLUSHALL", resptest.Simple("QUEUED"))
	h.Want("FLUSHALL", resptest.Simple("QUEUED"))
	h.Want("EXEC", []any{ok, ok})
	require.Equal(t, 3, h.Disk.Flushes, "one transaction empties the files once")
}

func TestFlushAll(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET a 1", ok)
	h.Want("SELECT 15", ok)
	h.Want("SET a 1", ok)
	h.Want("FLUSHALL x", commands.ErrSyntax)
	h.Want("MULTI", ok)
	h.Want("FLUSHALL SYNC", servertest.Queued)
	h.Want("SET b 1", servertest.Queued)
	h.Want("EXEC", []any{ok, ok})
	h.Want("DBSIZE", 1)
	h.Want("SELECT 0", ok)
	h.Want("DBSIZE", 0)
	h.Want("WATCH absent", ok)
	h.NewClient(t).Want("FLUSHALL", ok)
	h.Want("MULTI", ok)
	h.Want("EXEC", []any{})
}
