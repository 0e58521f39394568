package follow

import (
	"testing"

	"cellserver/replica"

	"github.com/stretchr/testify/require"
)

// TestKept: the key says what it was told, and a text of an earlier release means the same.
func TestKept(t *testing.T) {
	at := replica.Position{ID: "0123", Offset: 7, DB: 3}
	for text, k := range map[string]kept{
		"left 10.0.0.1 6379":             {Word: hasLeft, Host: "10.0.0.1", Port: 6379},
		"follows ::1 6379 0123 7 3":      {Word: follows, Host: "::1", Port: 6379, at: at},
		"copies a 1":                     {Word: copies, Host: "a", Port: 1},
		`follows a 1 {"stopped":"no {"}`: {Word: follows, Host: "a", Port: 1, Stopped: "no {"},
		`follows a 1 0123 7 3 {"left_out":{"stream":2}}`: {Word: follows, Host: "a", Port: 1, at: at,
			LeftOut: map[string]int64{"stream": 2}},
	} {
		require.Equal(t, text, string(k.text()))
		require.Equal(t, k, parseKept(text))
	}
	brace := parseKept("follows {x 6379")
	require.Equal(t, kept{Word: follows, Host: "{x", Port: 6379}, brace)
	for _, text := range []string{"", "nonsense", "{}"} {
		k := parseKept(text)
		require.False(t, k.on(), "%q", text)
	}
}
