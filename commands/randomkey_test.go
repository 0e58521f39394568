package commands

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRandomKey(t *testing.T) {
	h := newHarness(t)
	h.want("RANDOMKEY", nil)
	h.want("MSET a 1 b 2 c 3", ok)
	h.want("PEXPIRE c 1", 1)
	h.advance(2 * time.Millisecond)
	seen := map[any]bool{}
	for range 200 {
		seen[h.do("RANDOMKEY")] = true
	}
	require.Equal(t, map[any]bool{"a": true, "b": true}, seen)
}
