package source

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"cellserver/envoy/config"
)

// withoutSecond returns a harness that follows a second file, which is missing. Its folders have a rule.
func withoutSecond(t *testing.T) (h *harness, second string, folders Folders) {
	root := t.TempDir()
	second = filepath.Join(root, "second", "extra.yaml")
	write(t, filepath.Join(root, "rules", "a.yaml"), rulesOf("one"))
	folders = Folders{root, "rules", "", false, false}
	h = newHarness(t)
	h.FollowExtra(second)
	require.Error(t, h.load(folders.Read(h.log)), "the file is missing")
	require.Nil(t, h.set.Load())
	return h, second, folders
}

func TestASecondFileIsReadWithTheRules(t *testing.T) {
	h, second, folders := withoutSecond(t)
	write(t, second, "rules: {one.a: {unit_multiplier: 2}, one.gone: {on_failure: deny}}")
	require.NoError(t, h.load(folders.Read(h.log)))
	require.Equal(t, "2h0m0s", h.set.Load().Rules[0].Limits[0].Hit.Period.String())
	require.Contains(t, h.logged.String(), `name="rule one.gone"`)

	loads := h.good.Value()
	compare := func() { h.compareExtra(); h.compareExtra() }
	compare()
	require.Equal(t, loads, h.good.Value(), "nothing has changed")
	write(t, second, "rules: {one.a: {unit_multiplier: 3}}")
	compare()
	require.Equal(t, "3h0m0s", h.set.Load().Rules[0].Limits[0].Hit.Period.String())

	write(t, second, "rules: {one.a: {unit_multiplier: x}}")
	compare()
	require.Equal(t, "3h0m0s", h.set.Load().Rules[0].Limits[0].Hit.Period.String(), "a bad file changes nothing")
	bad := h.bad.Value()
	compare()
	require.Equal(t, bad, h.bad.Value(), "a bad file is said once")
}

// A part of a file may be good. It lacks what makes the rules strict.
func TestASecondFileIsReadWhenItIsWhole(t *testing.T) {
	h, second, _ := withoutSecond(t)
	write(t, second, "rules:\n  one.a: {unit_multiplier: 24}\n")
	h.compareExtra()
	require.Nil(t, h.set.Load(), "a process writes the file")
	write(t, second, "rules:\n  one.a: {unit_multiplier: 24}\ndomains: {one: {all_or_none: true}}\n")
	h.compareExtra()
	require.Nil(t, h.set.Load(), "a process writes the file")
	h.compareExtra()
	require.True(t, h.set.Load().Extra.Domains["one"].AllOrNone)
}

// An empty file says nothing, and is a file.
func TestAnEmptySecondFileComesLater(t *testing.T) {
	h, second, _ := withoutSecond(t)
	write(t, second, "")
	for range 3 {
		h.compareExtra()
	}
	require.True(t, h.set.Load() != nil && h.set.Load().HasDomain("one"))
	require.EqualValues(t, 1, h.good.Value(), "it is loaded once")
}

// Somebody names a file that is no file of rules. Its first 16 MB are enough to refuse it.
func TestAHugeSecondFileTakesNoMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "extra.yaml")
	write(t, path, "")
	require.NoError(t, os.Truncate(path, 1<<30))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := Extend(&config.Set{}, path)
	require.ErrorContains(t, err, "it has more than 16777216 bytes")
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(300<<20))
}
