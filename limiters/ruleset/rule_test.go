package ruleset

import (
	"bytes"
	"cellserver/store"
	"testing"

	"github.com/stretchr/testify/require"
)

func words(line string) [][]byte { return bytes.Fields([]byte(line)) }

// TestStateKeys: the states of a key have the slot of the key. No two asked names, keys or limits have the
// same state key.
func TestStateKeys(t *testing.T) {
	r, err := Parse("r", words("SCOPE s CL.WINDOW 5 60 AND SCOPE s CL.THROTTLE 1 1 1 AND SCOPE s CL.WINDOW 9 3600 AND scope r CL.WINDOW 5 60"))
	require.NoError(t, err)
	plain, err := Parse("r", words("CL.WINDOW 5 60 AND CL.THROTTLE 1 1 1 AND CL.WINDOW 9 3600"))
	require.NoError(t, err)
	seen := map[string]string{}
	for _, key := range []string{"k", "user:1", "{user}:1", "a{user}1", "", "{}", "a}b", "}{", "{", "}", "{}{a}", "a:window", "r:{k}:window", "{k}:r:window",
		"r@s:{k}:window", "{k}:r", "{k}:r@s"} {
		for _, s := range append(r.Scopes, plain.Scopes...) {
			for _, asked := range []string{"r", "s", Default, "r.s"} {
				addStates(t, seen, &s, asked, key)
			}
		}
	}
	asked := []byte("r")
	require.Equal(t, "r:{k}:window:2", string(plain.Scopes[0].Limits[2].StateKey(nil, asked, []byte("k"), NoBraces)))
	require.Equal(t, "{k}1:r:throttle", string(plain.Scopes[0].Limits[1].StateKey(nil, asked, []byte("{k}1"), hashTag)))
	require.Equal(t, "r@s:{k}:window:2", string(r.Scopes[0].Limits[2].StateKey(nil, asked, []byte("k"), NoBraces)))
	require.Equal(t, "{k}1:r@r:window", string(r.Scopes[1].Limits[0].StateKey(nil, asked, []byte("{k}1"), hashTag)))
}

// addStates adds the state keys of a scope. None may be there before.
func addStates(t *testing.T, seen map[string]string, s *Scope, asked, key string) {
	for i := range s.Limits {
		state := string(s.Limits[i].StateKey(nil, []byte(asked), []byte(key), BracesOf([]byte(key))))
		require.NotContains(t, seen, state, "%q and %q", key, seen[state])
		seen[state] = key
		if SharesSlot([]byte(key)) {
			require.Equal(t, store.Slot([]byte(key)), store.Slot([]byte(state)), "%q in %q", key, state)
		}
	}
}

// TestDecides: a rule of its own comes before [Default], wherever it is kept. Only what may be a name has the
// rule [Default].
func TestDecides(t *testing.T) {
	var r Rules
	stored := setOf(t, "own CL.WINDOW 1 60")
	require.Nil(t, r.with(stored).Decides([]byte("other")))
	file := setOf(t, "filed CL.WINDOW 2 60", "default CL.WINDOW 3 60")
	r.file.Store(file)
	require.Same(t, stored.byName["own"], r.with(stored).Decides([]byte("own")))
	require.Same(t, file.byName["filed"], r.with(stored).Decides([]byte("filed")))
	require.Same(t, file.byName[Default], r.with(stored).Decides([]byte("other")))
	stored = setOf(t, "default CL.WINDOW 4 60")
	require.Same(t, file.byName["filed"], r.with(stored).Decides([]byte("filed")), "before a default rule of the key")
	require.Same(t, stored.byName[Default], r.with(stored).Decides([]byte("other")))
	require.Same(t, stored.byName[Default], r.with(stored).Decides([]byte(Default)))
	require.Same(t, stored.byName[Default], r.with(stored).Decides(bytes.Repeat([]byte("x"), MaxNameBytes)))
	for _, wrong := range []string{"", "a b", "a@b", "a:b", "a{b", "é", ".", "..", "a/..", "./a", string(bytes.Repeat([]byte("x"), MaxNameBytes+1))} {
		require.Nil(t, r.with(stored).Decides([]byte(wrong)), "%q", wrong)
	}
	long := bytes.Repeat([]byte("x/"), MaxNameBytes/2)
	require.Zero(t, testing.AllocsPerRun(100, func() { r.with(stored).Decides(long) }))
}

// setOf returns a set of rules, each with its name as the first word.
func setOf(t *testing.T, lines ...string) *set {
	s := &set{byName: map[string]*Rule{}}
	for _, line := range lines {
		all := words(line)
		one, err := Parse(string(all[0]), all[1:])
		require.NoError(t, err)
		s.put(one)
	}
	return s
}
