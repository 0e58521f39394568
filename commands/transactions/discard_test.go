package transactions

import (
	"cellserver/commands/commandtest"
	"testing"
)

func TestDiscard(t *testing.T) {
	h := commandtest.New(t)
	h.Want("DISCARD", errDiscardNoMulti)
	other := h.NewClient(t)
	h.Want("WATCH a", ok)
	h.Want("MULTI", ok)
	h.Want("INCR a", commandtest.Queued)
	h.Want("DISCARD", ok)
	other.Want("INCR a", 1)
	h.Want("MULTI", ok)
	h.Want("INCR a", commandtest.Queued)
	h.Want("EXEC", []any{2})
}
