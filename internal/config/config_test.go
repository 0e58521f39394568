package config

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"cellserver/internal/config/value"
)

var update = flag.Bool("update", false, "write docs/configuration.md instead of comparing it")

const reference = "../../docs/configuration.md"

func TestReferenceIsCurrent(t *testing.T) {
	if *update {
		require.NoError(t, os.MkdirAll("../../docs", 0o755))
		require.NoError(t, os.WriteFile(reference, []byte(markdown()), 0o644))
	}
	text, err := os.ReadFile(reference)
	require.NoError(t, err)
	require.True(t, markdown() == string(text), "docs/configuration.md is out of date: go generate ./internal/config")
}

// CONFIG SET accepts every value that CONFIG GET shows, and CONFIG GET then shows the same value.
func TestEveryDirectiveRoundTrips(t *testing.T) {
	for _, d := range Directives() {
		c := Default()
		value, ok := c.Get(d.Name)
		require.True(t, ok, d.Name)
		require.Equal(t, d.Default, value, d.Name)
		require.NoError(t, c.Set(d.Name, d.Split(value)), d.Name)
		for _, name := range append(d.Aliases, d.Name) {
			again, ok := c.Get(name)
			require.True(t, ok, name)
			require.Equal(t, value, again, name)
		}
		require.NotEmpty(t, d.Summary(), d.Name)
		require.NotEmpty(t, d.Values, d.Name)
		require.NotEmpty(t, d.Group, d.Name)
	}
	require.NoError(t, Default().Validate())
}

// TestSummariesAreOfDirectives requires that summaries.json has only directives with an effect, and groups of
// others.
func TestSummariesAreOfDirectives(t *testing.T) {
	named := map[string]bool{}
	for _, d := range Directives() {
		if d.Inert {
			named[d.Group] = true
		} else {
			named[d.Name] = true
		}
	}
	for name := range summaries() {
		require.True(t, named[name], name)
	}
	require.Len(t, summaries(), len(named))
}

func TestCloneSharesNothing(t *testing.T) {
	c := Default()
	require.NoError(t, c.Set("io-threads", []string{"2"}))
	before := map[string]string{}
	for _, d := range Directives() {
		before[d.Name], _ = c.Get(d.Name)
	}
	n := c.Clone()
	n.Bind[0], n.LatencyPercentiles[0] = "x", 1
	for name, args := range map[string][]string{
		"io-threads": {"3"}, "hash-max-listpack-entries": {"1"}, "port": {"1"}, "save": {"1", "1"},
		"client-output-buffer-limit": {"normal", "1", "1", "1"},
	} {
		require.NoError(t, n.Set(name, args))
	}
	for _, d := range Directives() {
		value, _ := c.Get(d.Name)
		require.Equal(t, before[d.Name], value, d.Name)
	}
}

func TestAnErrorChangesNothing(t *testing.T) {
	c := Default()
	for name, args := range map[string][]string{
		"port": {"70000"}, "bind": make([]string, 17), "save": {"1", "1", "x", "1"}, "maxmemory": {"9gb9"}, "io-threads": {"0"},
		"client-output-buffer-limit": {"normal", "1", "1", "1", "other", "1", "1", "1"}, "latency-tracking-info-percentiles": {"5", "x"},
		"auth-fail-limit": {"", ""},
	} {
		before, _ := c.Get(name)
		require.Error(t, c.Set(name, args), name)
		after, _ := c.Get(name)
		require.Equal(t, before, after, name)
	}
	require.EqualError(t, c.Set("prot", []string{"1"}), "unknown directive 'prot': did you mean 'port'?")
}

func TestSettable(t *testing.T) {
	c := Default()
	may := func(name string, local bool) error {
		d, ok := Lookup(name)
		require.True(t, ok, name)
		return d.Settable(c, local)
	}
	require.NoError(t, may("maxmemory", false))
	require.ErrorIs(t, may("DATABASES", true), ErrImmutable)
	require.ErrorIs(t, may("dir", true), ErrProtected)
	c.EnableProtectedConfigs = AccessLocal
	require.NoError(t, may("dir", true))
	require.ErrorIs(t, may("dir", false), ErrProtected)
	c.EnableProtectedConfigs = AccessYes
	require.NoError(t, may("dir", false))
	require.ErrorIs(t, may("databases", false), ErrImmutable)
}

// A row that names something beside the fields would read and change memory that is not a configuration.
func TestRowsNameFields(t *testing.T) {
	beside := 0
	require.PanicsWithValue(t, "beside is no field of Config",
		func() { field("beside", value.Int(0, 1), "0", &beside) })
}
