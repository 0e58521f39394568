package keys

import (
	"cellserver/server/servertest"
	"testing"
	"time"
)

func TestExists(t *testing.T) {
	h := servertest.New(t)
	h.Want("MSET a 1 b 2", ok)
	h.Want("EXISTS a absent b a", 3)
	h.Want("PEXPIRE a 5", 1)
	h.Advance(5 * time.Millisecond)
	h.Want("EXISTS a", 1)
	h.Advance(time.Millisecond)
	h.Want("EXISTS a", 0)
}

func TestTouch(t *testing.T) {
	h := servertest.New(t)
	h.Want("MSET a 1 b 2", ok)
	h.Advance(10 * time.Second)
	h.Want("EXISTS a", 1)
	h.Want("OBJECT IDLETIME a", 10)
	h.Want("TOUCH a absent a b", 3)
	h.Want("OBJECT IDLETIME a", 0)
}
