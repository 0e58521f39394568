package commands

import "testing"

func TestCopy(t *testing.T) {
	h := newHarness(t)
	h.want("COPY a b", 0)
	h.want("SET a 1 PX 100", ok)
	h.want("COPY a b", 1)
	h.want("PTTL b", 100)
	h.want("SET a text", ok)
	h.want("COPY a b", 0)
	h.want("COPY a b REPLACE", 1)
	h.want("GET b", "text")
	h.want("PTTL b", -1)
	h.want("APPEND b !", 5)
	h.want("GET a", "text")
	h.want("COPY a a", errSameObject)
	h.want("COPY a a DB 0", errSameObject)
	h.want("COPY a a DB 3", 1)
	h.want("COPY a a DB 3", 0)
	h.want("COPY a a REPLACE DB 3", 1)
	h.want("COPY a b DB", errSyntax)
	h.want("COPY a b DB x", errNotInteger)
	h.want("COPY a b DB 16", errDBRange)
	h.want("COPY a b DB -1", errDBRange)
	h.want("COPY a b DB 9999999999", Error("ERR value is out of range, value must between -2147483648 and 2147483647"))
	h.sortedSet("z", "m")
	h.want("COPY z b REPLACE", 1)
	h.want("DEL z", 1)
	h.want("TYPE b", typeOf("zset"))
	h.want("SELECT 3", ok)
	h.want("GET a", "text")
}

func TestCopyInCluster(t *testing.T) {
	h := newHarness(t, "--cluster-enabled", "yes")
	h.want("COPY {a} {a}b DB 1", errCopyInCluster)
	h.want("COPY {a} {a}b DB 0", 0)
}
