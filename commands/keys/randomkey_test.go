package keys

import (
	"cellserver/server/servertest"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRandomKey(t *testing.T) {
	h := servertest.New(t)
	h.Want("RANDOMKEY", nil)
	h.Want("MSET a 1 b 2 c 3", ok)
	h.Want("PEXPIRE c 1", 1)
	h.Advance(2 * time.Millisecond)
	seen := map[any]bool{}
	for range 200 {
		seen[h.Do("RANDOMKEY")] = true
	}
	require.Equal(t, map[any]bool{"a": true, "b": true}, seen)
}

// TestRandomKeyAmongExpiredKeys: the key stays what it is, although its cell moves while the expired keys go.
func TestRandomKeyAmongExpiredKeys(t *testing.T) {
	h := servertest.New(t)
	h.Do("SET {tag}:stays 1")
	for i := range 4000 {
		h.Do("SET", fmt.Sprintf("{tag}:%d", i), i, "PX", 1)
	}
	h.Advance(2 * time.Millisecond)
	h.Want("RANDOMKEY", "{tag}:stays")
}
