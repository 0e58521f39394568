package keys

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestCopy(t *testing.T) {
	h := servertest.New(t)
	h.Want("COPY a b", 0)
	h.Want("SET a 1 PX 100", ok)
	h.Want("COPY a b", 1)
	h.Want("PTTL b", 100)
	h.Want("SET a text", ok)
	h.Want("COPY a b", 0)
	h.Want("COPY a b REPLACE", 1)
	h.Want("GET b", "text")
	h.Want("PTTL b", -1)
	h.Want("APPEND b !", 5)
	h.Want("GET a", "text")
	h.Want("COPY a a", commands.ErrSameObject)
	h.Want("COPY a a DB 0", commands.ErrSameObject)
	h.Want("COPY a a DB 3", 1)
	h.Want("COPY a a DB 3", 0)
	h.Want("COPY a a REPLACE DB 3", 1)
	h.Want("COPY a b DB", commands.ErrSyntax)
	h.Want("COPY a b DB x", commands.ErrNotInteger)
	h.Want("COPY a b DB 16", commands.ErrDBRange)
	h.Want("COPY a b DB -1", commands.ErrDBRange)
	h.Want("COPY a b DB 9999999999", commands.Error("ERR value is out of range, value must between -2147483648 and 2147483647"))
	h.SortedSet("z", "m")
	h.Want("COPY z b REPLACE", 1)
	h.Want("DEL z", 1)
	h.Want("TYPE b", servertest.TypeOf("zset"))
	h.Want("SELECT 3", ok)
	h.Want("GET a", "text")
}

func TestCopyInCluster(t *testing.T) {
	h := servertest.New(t, "--cluster-enabled", "yes")
	h.Want("COPY {a} {a}b DB 1", errCopyInCluster)
	h.Want("COPY {a} {a}b DB 0", 0)
}
