package config

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/configuration.md instead of comparing it")

const reference = "../docs/configuration.md"

func TestReferenceIsCurrent(t *testing.T) {
	if *update {
		require.NoError(t, os.MkdirAll("../docs", 0o755))
		require.NoError(t, os.WriteFile(reference, []byte(Markdown()), 0o644))
	}
	text, err := os.ReadFile(reference)
	require.NoError(t, err)
	require.Equal(t, Markdown(), string(text), "docs/configuration.md is out of date: go generate ./config")
}

// Every value that CONFIG GET shows is one that CONFIG SET takes and shows again.
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
		require.NotEmpty(t, d.Summary, d.Name)
		require.NotEmpty(t, d.Values, d.Name)
		require.NotEmpty(t, d.Group, d.Name)
	}
	require.NoError(t, Default().Validate())
}
