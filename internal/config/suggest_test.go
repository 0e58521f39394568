package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{
		"prot": "port", "PORT ": "port", "tiemout": "timeout", "maxmemory_policy": "maxmemory-policy",
		"slave-read-onyl": "slave-read-only", "appendnoly": "appendonly", "xyzzy": "", "": "",
	} {
		got, ok := nearest(word, Names())
		require.Equal(t, want, got, word)
		require.Equal(t, want != "", ok, word)
	}
}
