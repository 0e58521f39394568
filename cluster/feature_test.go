package cluster

import (
	"fmt"
	"log/slog"
	"testing"

	"cellserver/cluster/entry"
	"cellserver/internal/topology"
	"cellserver/store"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// recordsLevel is the feature level that introduced the newest form of records. A new form needs a new level.
const recordsLevel = 4

// levels has the feature level that introduced each change of a collection. A new change needs a new level.
var levels = map[string]int{
	"ZADD": 1, "ZREM": 1,
	"HSET": 2, "HDEL": 2, "SADD": 2, "SREM": 2,
	"LPUSH": 3, "RPUSH": 3, "LPOP": 3, "RPOP": 3, "LSET": 3, "LINSERT": 3, "LREM": 3, "LTRIM": 3,
}

// TestTheFeatureLevelCoversEveryChange requires a level for each change of every type.
func TestTheFeatureLevelCoversEveryChange(t *testing.T) {
	highest, changes := recordsLevel, 0
	for _, of := range store.Types() {
		for _, how := range of.Changes {
			level, known := levels[how.Verb]
			require.True(t, known, "%s: raise FeatureLevel, because older servers cannot apply this change", how.Verb)
			highest = max(highest, level)
			changes++
		}
	}
	require.Len(t, levels, changes)
	require.EqualValues(t, FeatureLevel, highest)
}

// TestANodeRefusesAHigherLevel requires that a node stops at the epoch of a newer leader, and not at the first entry that it
// does not understand. It follows leaders of lower levels.
func TestANodeRefusesAHigherLevel(t *testing.T) {
	for level := uint16(1); level <= FeatureLevel+1; level++ {
		s := store.New(store.Options{Databases: 1, Seed: 1})
		n := New(Options{Self: topology.Node{ID: fmt.Sprintf("%040d", 1)}, Store: s, Log: slog.New(slog.DiscardHandler)})
		data := entry.AppendEpoch(entry.AppendHeader(nil), entry.Epoch{Groups: 1, Databases: 1, Features: level})
		require.NoError(t, entry.Finish(data, entry.Entry{Kind: entry.EpochBegins, Term: 2, Batch: 1, Time: 1}))
		err := n.applyLog(&raft.Log{Index: 1, Term: 2, Data: data})
		if level <= FeatureLevel {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, fmt.Sprintf("this server knows level %d: install the newer release", FeatureLevel))
		require.ErrorIs(t, n.applyLog(&raft.Log{Index: 2, Term: 2}), errBroken)
	}
}
