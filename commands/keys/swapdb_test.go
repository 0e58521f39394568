package keys

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

func TestSwapDB(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k zero", ok)
	other := h.NewClient(t)
	other.Want("SELECT 1", ok)
	other.Want("WATCH k", ok)
	h.Want("SWAPDB 0 1", ok)
	h.Want("GET k", nil)
	other.Want("GET k", "zero")
	other.Want("MULTI", ok)
	other.Want("PING", servertest.Queued)
	other.Want("EXEC", resptest.NilArray)
	h.Want("SWAPDB 1 1", ok)
	h.Want("SWAPDB a b", errFirstDB)
	h.Want("SWAPDB 99 b", errSecondDB)
	h.Want("SWAPDB 0 16", commands.ErrDBRange)
	h.Want("SWAPDB -1 0", commands.ErrDBRange)
}

func TestSwapDBInCluster(t *testing.T) {
	servertest.New(t, "--cluster-enabled", "yes").Want("SWAPDB 0 1", errSwapInCluster)
}
