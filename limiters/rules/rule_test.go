package rules

import (
	"bytes"
	"cellserver/store"
	"testing"

	"github.com/stretchr/testify/require"
)

func words(line string) [][]byte { return bytes.Fields([]byte(line)) }

// TestStateKeys: the states of a key have the slot of the key. No two keys or limits have the same
// state key.
func TestStateKeys(t *testing.T) {
	r, err := parse("r", words("CL.WINDOW 5 60 AND CL.THROTTLE 1 1 1 AND CL.WINDOW 9 3600"))
	require.NoError(t, err)
	seen := map[string]string{}
	for _, key := range []string{"k", "user:1", "{user}:1", "a{user}1", "", "{}", "a}b", "}{", "{", "}", "{}{a}", "a:window", "r:{k}:window", "{k}:r:window"} {
		for i := range r.limits {
			state := string(r.limits[i].stateKey(nil, []byte(key), canBeTag([]byte(key))))
			require.NotContains(t, seen, state, "%q and %q", key, seen[state])
			seen[state] = key
			if canBeTag([]byte(key)) || hasTag([]byte(key)) {
				require.Equal(t, store.Slot([]byte(key)), store.Slot([]byte(state)), "%q in %q", key, state)
			}
		}
	}
	require.Equal(t, "r:{k}:window:2", string(r.limits[2].stateKey(nil, []byte("k"), true)))
	require.Equal(t, "{k}1:r:throttle", string(r.limits[1].stateKey(nil, []byte("{k}1"), false)))
}
