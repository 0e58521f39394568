package keys

import (
	"cellserver/server/servertest"
	"testing"
	"time"
)

func TestDBSize(t *testing.T) {
	h := servertest.New(t)
	h.Want("DBSIZE", 0)
	h.Want("MSET a 1 b 2", ok)
	h.Want("SET c 3 PX 1", ok)
	h.Advance(2 * time.Millisecond)
	h.Want("DBSIZE", 3) // expired keys count until they are removed
	h.Want("GET c", nil)
	h.Want("DBSIZE", 2)
}
