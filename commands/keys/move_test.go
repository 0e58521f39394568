package keys

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestMove(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k v PX 100", ok)
	h.Want("MOVE k 0", commands.ErrSameObject)
	h.Want("MOVE k 16", commands.ErrDBRange)
	h.Want("MOVE k x", commands.ErrNotInteger)
	h.Want("MOVE absent 1", 0)
	h.Want("MOVE k 1", 1)
	h.Want("EXISTS k", 0)
	h.Want("SET k w", ok)
	h.Want("MOVE k 1", 0)
	h.Want("SELECT 1", ok)
	h.Want("GET k", "v")
	h.Want("PTTL k", 100)
}

func TestMoveInCluster(t *testing.T) {
	servertest.New(t, "--cluster-enabled", "yes").Want("MOVE k x", errMoveInCluster)
}
