package connection

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestSelect(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k zero", ok)
	h.Want("SELECT 1", ok)
	h.Want("GET k", nil)
	h.Want("SET k one", ok)
	other := h.NewClient(t)
	other.Want("GET k", "zero")
	h.Want("SELECT 16", commands.ErrDBRange)
	h.Want("SELECT -1", commands.ErrDBRange)
	h.Want("SELECT x", commands.ErrNotInteger)
	h.Want("SELECT 9999999999", commands.Error("ERR value is out of range, value must between -2147483648 and 2147483647"))
	h.Want("GET k", "one")
}

func TestSelectInMulti(t *testing.T) {
	h := servertest.New(t)
	h.Want("MULTI", ok)
	for _, line := range []string{"SET k zero", "SELECT 2", "SET k two", "DBSIZE", "SELECT 99"} {
		h.Want(line, servertest.Queued)
	}
	h.Want("EXEC", []any{ok, ok, ok, 1, commands.ErrDBRange})
	h.Want("GET k", "two")
	h.Want("SELECT 0", ok)
	h.Want("GET k", "zero")
}

func TestSelectInCluster(t *testing.T) {
	h := servertest.New(t, "--cluster-enabled", "yes")
	h.Want("SELECT 1", errSelectInCluster)
	h.Want("SELECT 0", ok)
}
