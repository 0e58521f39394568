package word

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	known := []string{"port", "timeout", "maxmemory-policy", "slave-read-only", "appendonly"}
	for word, want := range map[string]string{
		"prot": "port", "PORT ": "port", "tiemout": "timeout", "maxmemory_policy": "maxmemory-policy",
		"slave-read-onyl": "slave-read-only", "appendnoly": "appendonly", "maxmemory": "maxmemory-policy",
		"slave": "slave-read-only", "xyzzy": "", "": "", "-": "",
	} {
		got, ok := Nearest(word, known)
		require.Equal(t, want, got, word)
		require.Equal(t, want != "", ok, word)
	}
}
