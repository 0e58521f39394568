package limiters

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpends(t *testing.T) {
	for _, c := range []struct {
		request, limit string
		quantity       int64
		millis, peek   bool
	}{
		{"cl.throttle 15 30 60", "15 30 60", 1, false, false},
		{"cl.throttle 15 30 60 2", "15 30 60", 2, false, false},
		{"cl.throttle 15 30 60 2 MS peek", "15 30 60", 2, true, true},
		{"cl.throttle 15 30 60 QUANTITY 3 MS", "15 30 60", 3, true, false},
		{"gcra 15 30 0.5 TOKENS 4 MS", "15 30 0.5", 4, true, false},
		{"throttle 15 30 60 5", "15 30 60", 5, false, false},
		{"cl.window 100 60 6 ALIGN MS", "100 60 ALIGN", 6, true, false},
		{"cl.window 100 0 ALIGN month DAY 5 TZ Europe/Berlin QUANTITY 7", "100 0 ALIGN month DAY 5 TZ Europe/Berlin", 7, false, false},
		{"cl.sliding 100 60 PEEK", "100 60", 1, false, true},
		{"cl.log 100 60 RESOLUTION 1 MS", "100 60 RESOLUTION 1", 1, true, false},
		{"cl.check user:1", "user:1", 1, false, false},
		{"cl.check user:1 eu QUANTITY 8 MS", "user:1 eu", 8, true, false},
	} {
		var a Args
		words := bytes.Fields([]byte(c.request))
		limit, ok := a.Spends(string(words[0]), words[1:])
		require.True(t, ok, c.request)
		require.Equal(t, c.limit, string(bytes.Join(limit, []byte(" "))), c.request)
		require.Equal(t, c.quantity, a.Quantity, c.request)
		require.Equal(t, [2]bool{c.millis, c.peek}, [2]bool{a.Has(OptMS), a.Has(OptPeek)}, c.request)
	}
	for _, request := range []string{
		"cl.throttle 15 30", "cl.throttle 15 30 x", "cl.throttle 15 30 60 MS", "cl.window 100 60 GAP 1", "cl.log 100 60 GAP 1",
		"cl.log 100 60 STRICT", "cl.check user:1 5", "cl.check user:1 CHARGE", "cl.check user:1 EXPLAIN", "cl.pace 1 2", "cl.charge 15 30 60 1",
	} {
		var a Args
		words := bytes.Fields([]byte(request))
		_, ok := a.Spends(string(words[0]), words[1:])
		require.False(t, ok, request)
	}
}
