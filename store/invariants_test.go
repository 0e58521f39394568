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
		for _, of := range tx.s.partitions[i].tables {
			require.Same(t, of.Table, tx.s.tables.find(i, of.DB))
			sum, err := of.Table.Check()
			require.NoError(t, err, "partition %d, database %d", i, of.DB)
			used += sum.Bytes
			busy += sum.Blocks
		}
	}
	require.Equal(t, used, tx.s.Used(), "sum of all tables' bytes")
	require.NoError(t, tx.s.blocks.Check(busy))
}

// limitsOf returns the same limits for every type.
func limitsOf(members, bytes int) Limits {
	return Limits{ZSetEntries: members, ZSetValue: bytes, HashEntries: members, HashValue: bytes, SetIntEntries: members, ListEntries: members, ListBytes: bytes}
}
