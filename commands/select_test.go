package commands

import "testing"

func TestSelect(t *testing.T) {
	h := newHarness(t)
	h.want("SET k zero", ok)
	h.want("SELECT 1", ok)
	h.want("GET k", nil)
	h.want("SET k one", ok)
	other := h.client(t)
	other.want("GET k", "zero")
	h.want("SELECT 16", errDBRange)
	h.want("SELECT -1", errDBRange)
	h.want("SELECT x", errNotInteger)
	h.want("SELECT 9999999999", Error("ERR value is out of range, value must between -2147483648 and 2147483647"))
	h.want("GET k", "one")
}

func TestSelectInMulti(t *testing.T) {
	h := newHarness(t)
	h.want("MULTI", ok)
	for _, line := range []string{"SET k zero", "SELECT 2", "SET k two", "DBSIZE", "SELECT 99"} {
		h.want(line, isQueued)
	}
	h.want("EXEC", []any{ok, ok, ok, 1, errDBRange})
	h.want("GET k", "two")
	h.want("SELECT 0", ok)
	h.want("GET k", "zero")
}

func TestSelectInCluster(t *testing.T) {
	h := newHarness(t, "--cluster-enabled", "yes")
	h.want("SELECT 1", errSelectInCluster)
	h.want("SELECT 0", ok)
}
