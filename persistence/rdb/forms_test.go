package rdb

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOlderNodesReadWhatIsWritten: the nodes of a cluster send each other RDB files, also during an upgrade. A new form needs a
// new feature level. A cluster below that level needs the old form: see cluster/group/level.go.
func TestOlderNodesReadWhatIsWritten(t *testing.T) {
	require.Equal(t, 9, Version)
	written := map[string]byte{}
	for _, c := range codecs {
		written[c.name] = c.writes
	}
	require.Equal(t, map[string]byte{"string": 0, "list": 1, "set": 2, "hash": 4, "sorted set": 5}, written)
}
