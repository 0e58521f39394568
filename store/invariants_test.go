package store

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// checkInvariants recounts everything that the store keeps count of. The transaction's footprint
// must be whole.
func checkInvariants(t testing.TB, tx *Tx) {
	t.Helper()
	used, busy := int64(0), 0
	for i := range tx.s.partitions {
		for db := range tx.s.partitions[i].tables {
			sum, err := tx.s.partitions[i].tables[db].Check()
			require.NoError(t, err, "partition %d, database %d", i, db)
			used += sum.Bytes
			busy += sum.Blocks
		}
	}
	require.Equal(t, used, tx.s.Used(), "sum of all tables' bytes")
	require.NoError(t, tx.s.blocks.Check(busy))
}
