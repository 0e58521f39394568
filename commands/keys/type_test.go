package keys

import (
	"cellserver/server/servertest"
	"testing"
)

func TestType(t *testing.T) {
	h := servertest.New(t)
	h.Want("MSET n 1 s abc", ok)
	h.SortedSet("z", "m")
	for key, name := range map[string]string{"n": "string", "s": "string", "z": "zset", "absent": "none"} {
		h.Want("TYPE "+key, servertest.TypeOf(name))
	}
}
