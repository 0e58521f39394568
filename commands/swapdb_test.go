package commands

import (
	"testing"

	"cellserver/resp/resptest"
)

func TestSwapDB(t *testing.T) {
	h := newHarness(t)
	h.want("SET k zero", ok)
	other := h.client(t)
	other.want("SELECT 1", ok)
	other.want("WATCH k", ok)
	h.want("SWAPDB 0 1", ok)
	h.want("GET k", nil)
	other.want("GET k", "zero")
	other.want("MULTI", ok)
	other.want("PING", isQueued)
	other.want("EXEC", resptest.NilArray)
	h.want("SWAPDB 1 1", ok)
	h.want("SWAPDB a b", errFirstDB)
	h.want("SWAPDB 99 b", errSecondDB)
	h.want("SWAPDB 0 16", errDBRange)
	h.want("SWAPDB -1 0", errDBRange)
}

func TestSwapDBInCluster(t *testing.T) {
	newHarness(t, "--cluster-enabled", "yes").want("SWAPDB 0 1", errSwapInCluster)
}
