package transactions

import (
	"cellserver/server/servertest"
	"testing"
)

func TestDiscard(t *testing.T) {
	h := servertest.New(t)
	h.Want("DISCARD", errDiscardNoMulti)
	other := h.NewClient(t)
	h.Want("WATCH a", ok)
	h.Want("MULTI", ok)
	h.Want("INCR a", servertest.Queued)
	h.Want("DISCARD", ok)
	other.Want("INCR a", 1)
	h.Want("MULTI", ok)
	h.Want("INCR a", servertest.Queued)
	h.Want("EXEC", []any{2})
}
