package keys

import (
	"testing"

	"cellserver/commands"
	"cellserver/commands/commandtest"
	"cellserver/resp/resptest"
)

func TestSwapDB(t *testing.T) {
	h := commandtest.New(t)
	h.Want("SET k zero", ok)
	other := h.NewClient(t)
	other.Want("SELECT 1", ok)
	other.Want("WATCH k", ok)
	h.Want("SWAPDB 0 1", ok)
	h.Want("GET k", nil)
	other.Want("GET k", "zero")
	other.Want("MULTI", ok)
	other.Want("PING", commandtest.Queued)
	other.Want("EXEC", resptest.NilArray)
	h.Want("SWAPDB 1 1", ok)
	h.Want("SWAPDB a b", errFirstDB)
	h.Want("SWAPDB 99 b", errSecondDB)
	h.Want("SWAPDB 0 16", commands.ErrDBRange)
	h.Want("SWAPDB -1 0", commands.ErrDBRange)
}

func TestSwapDBInCluster(t *testing.T) {
	commandtest.New(t, "--cluster-enabled", "yes").Want("SWAPDB 0 1", errSwapInCluster)
}
