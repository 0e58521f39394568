package keys

import (
	"cellserver/server/servertest"
	"testing"
)

func TestPersist(t *testing.T) {
	h := servertest.New(t)
	h.Want("PERSIST k", 0)
	h.Want("SET k v EX 10", ok)
	h.Want("PERSIST k", 1)
	h.Want("TTL k", -1)
	h.Want("PERSIST k", 0)
	h.Do("CL.THROTTLE t 5 1 10")
	h.Want("PERSIST t", 1)
	h.Want("PTTL t", -1)
}
