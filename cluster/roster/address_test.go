package roster

import (
	"testing"

	"cellserver/internal/topology"

	"github.com/stretchr/testify/require"
)

func TestFounderID(t *testing.T) {
	one, _ := topology.ParseAddresses([]string{"a:1", "b:1"})
	same, _ := topology.ParseAddresses([]string{"B:1", "A:1"})
	other, _ := topology.ParseAddresses([]string{"a:1", "b:1@2"})
	require.Regexp(t, "^[0-9a-f]{40}$", FounderID(one, one[0]))
	require.Equal(t, FounderID(one, one[0]), FounderID(same, same[0]))
	require.NotEqual(t, FounderID(one, one[0]), FounderID(one, one[1]))
	require.NotEqual(t, FounderID(one, one[0]), FounderID(other, other[0]))
}
