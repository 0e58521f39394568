package commands

import "testing"

func TestMove(t *testing.T) {
	h := newHarness(t)
	h.want("SET k v PX 100", ok)
	h.want("MOVE k 0", errSameObject)
	h.want("MOVE k 16", errDBRange)
	h.want("MOVE k x", errNotInteger)
	h.want("MOVE absent 1", 0)
	h.want("MOVE k 1", 1)
	h.want("EXISTS k", 0)
	h.want("SET k w", ok)
	h.want("MOVE k 1", 0)
	h.want("SELECT 1", ok)
	h.want("GET k", "v")
	h.want("PTTL k", 100)
}

func TestMoveInCluster(t *testing.T) {
	newHarness(t, "--cluster-enabled", "yes").want("MOVE k x", errMoveInCluster)
}
