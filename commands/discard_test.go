package commands

import "testing"

func TestDiscard(t *testing.T) {
	h := newHarness(t)
	h.want("DISCARD", errDiscardNoMulti)
	other := h.client(t)
	h.want("WATCH a", ok)
	h.want("MULTI", ok)
	h.want("INCR a", isQueued)
	h.want("DISCARD", ok)
	other.want("INCR a", 1)
	h.want("MULTI", ok)
	h.want("INCR a", isQueued)
	h.want("EXEC", []any{2})
}
