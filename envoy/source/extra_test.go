package source

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestASecondFileIsReadWithTheRules(t *testing.T) {
	root := t.TempDir()
	second := filepath.Join(root, "second", "extra.yaml")
	write(t, filepath.Join(root, "rules", "a.yaml"), rulesOf("one"))
	folders := Folders{root, "rules", "", false, false}
	h := newHarness(t)
	h.FollowExtra(second)
	require.Error(t, h.load(folders.Read(h.log)), "the file is missing")
	require.Nil(t, h.set.Load())

	write(t, second, "rules: {one.a: {unit_multiplier: 2}, one.gone: {on_failure: deny}}")
	require.NoError(t, h.load(folders.Read(h.log)))
	require.Equal(t, "2h0m0s", h.set.Load().Rules[0].Limits[0].Hit.Period.String())
	require.Contains(t, h.logged.String(), `name="rule one.gone"`)

	loads := h.good.Value()
	h.compareExtra()
	require.Equal(t, loads, h.good.Value(), "nothing has changed")
	write(t, second, "rules: {one.a: {unit_multiplier: 3}}")
	h.compareExtra()
	require.Equal(t, "3h0m0s", h.set.Load().Rules[0].Limits[0].Hit.Period.String())

	write(t, second, "rules: {one.a: {unit_multiplier: x}}")
	h.compareExtra()
	require.Equal(t, "3h0m0s", h.set.Load().Rules[0].Limits[0].Hit.Period.String(), "a bad file changes nothing")
	bad := h.bad.Value()
	h.compareExtra()
	require.Equal(t, bad, h.bad.Value(), "a bad file is said once")
}
