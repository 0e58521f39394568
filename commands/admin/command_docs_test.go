package admin

import (
	"slices"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestCommandDocs(t *testing.T) {
	h := servertest.New(t)
	h.Do("HELLO 3")
	docs := h.Do("COMMAND DOCS get nothing").(resptest.Map)
	require.Len(t, docs, 1)
	require.Len(t, h.Do("COMMAND DOCS"), len(commands.TopLevel()))
	require.Len(t, h.Do("COMMAND DOCS cl.throttle"), 1)
}

// TestCommandDocsOfALimiter has the fields of a command that Redis does not have.
func TestCommandDocsOfALimiter(t *testing.T) {
	h := servertest.New(t)
	number := []any{"name", "quantity", "type", "integer"}
	quantity := []any{"name", "quantity_quantity", "type", "oneof", "arguments", []any{
		number, append(slices.Clone(number), "token", "QUANTITY"),
	}}
	option := func(name, token string) []any {
		return []any{"name", name, "type", "pure-token", "token", token, "flags", []any{resptest.Simple("optional")}}
	}
	h.Want("COMMAND DOCS cl.throttle", []any{"cl.throttle", []any{
		"summary", "Decides whether an action may happen now, and counts the action if it may (GCRA).",
		"group", "limiter", "complexity", "O(1)",
		"arguments", []any{
			[]any{"name", "key", "type", "key", "key_spec_index", 0},
			[]any{"name", "max_burst", "type", "integer"},
			[]any{"name", "count", "type", "integer"},
			[]any{"name", "period", "type", "integer"},
			[]any{"name", "quantity_quantity_ms_peek", "type", "block", "flags", []any{resptest.Simple("optional")},
				"arguments", []any{quantity, option("ms", "MS"), option("peek", "PEEK")}},
		},
	}})
}
