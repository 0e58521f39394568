package commands

import (
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestFlushDB(t *testing.T) {
	h := newHarness(t)
	h.want("MSET a 1 b 2", ok)
	h.want("SELECT 1", ok)
	h.want("SET a 1", ok)
	h.want("FLUSHDB", ok)
	h.want("DBSIZE", 0)
	h.want("SELECT 0", ok)
	h.want("DBSIZE", 2)
	h.want("FLUSHDB now", errSyntax)
	h.want("FLUSHDB SYNC ASYNC", errSyntax)
	h.want("WATCH a absent", ok)
	h.client(t).want("FLUSHDB async", ok)
	h.want("MULTI", ok)
	h.want("EXEC", resptest.NilArray)
}

func TestFlushAllIsToldToTheDisk(t *testing.T) {
	h := newHarness(t)
	h.want("FLUSHALL nonsense", errSyntax)
	h.want("FLUSHDB", ok)
	h.want("MULTI", ok)
	h.want("FLUSHALL", resptest.Simple("QUEUED"))
	require.Zero(t, h.disk.flushed)
	h.want("EXEC", []any{ok})
	h.want("FLUSHALL", ok)
	require.Equal(t, 2, h.disk.flushed)
}

func TestFlushAll(t *testing.T) {
	h := newHarness(t)
	h.want("SET a 1", ok)
	h.want("SELECT 15", ok)
	h.want("SET a 1", ok)
	h.want("FLUSHALL x", errSyntax)
	h.want("MULTI", ok)
	h.want("FLUSHALL SYNC", isQueued)
	h.want("SET b 1", isQueued)
	h.want("EXEC", []any{ok, ok})
	h.want("DBSIZE", 1)
	h.want("SELECT 0", ok)
	h.want("DBSIZE", 0)
	h.want("WATCH absent", ok)
	h.client(t).want("FLUSHALL", ok)
	h.want("MULTI", ok)
	h.want("EXEC", []any{})
}
