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
	r, err := parse("r", words("SCOPE s CL.WINDOW 5 60 AND SCOPE s CL.THROTTLE 1 1 1 AND SCOPE s CL.WINDOW 9 3600 AND scope r CL.WINDOW 5 60"))
	require.NoError(t, err)
	plain, err := parse("r", words("CL.WINDOW 5 60 AND CL.THROTTLE 1 1 1 AND CL.WINDOW 9 3600"))
	require.NoError(t, err)
	other, err := parse("s", words("CL.WINDOW 5 60"))
	require.NoError(t, err)
	seen := map[string]string{}
	for _, key := range []string{"k", "user:1", "{user}:1", "a{user}1", "", "{}", "a}b", "}{", "{", "}", "{}{a}", "a:window", "r:{k}:window", "{k}:r:window",
		"r@s:{k}:window", "{k}:r", "{k}:r@s"} {
		for _, s := range append(append(r.scopes, plain.scopes...), other.scopes...) {
			for i := range s.limits {
				state := string(s.limits[i].stateKey(nil, []byte(key), bracesOf([]byte(key))))
				require.NotContains(t, seen, state, "%q and %q", key, seen[state])
				seen[state] = key
				if sharesSlot([]byte(key)) {
					require.Equal(t, store.Slot([]byte(key)), store.Slot([]byte(state)), "%q in %q", key, state)
				}
			}
		}
	}
	require.Equal(t, "r:{k}:window:2", string(plain.scopes[0].limits[2].stateKey(nil, []byte("k"), noBraces)))
	require.Equal(t, "{k}1:r:throttle", string(plain.scopes[0].limits[1].stateKey(nil, []byte("{k}1"), hashTag)))
	require.Equal(t, "r@s:{k}:window:2", string(r.scopes[0].limits[2].stateKey(nil, []byte("k"), noBraces)))
	require.Equal(t, "{k}1:r@r:window", string(r.scopes[1].limits[0].stateKey(nil, []byte("{k}1"), hashTag)))
}
