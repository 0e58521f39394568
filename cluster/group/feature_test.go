package group

import (
	"bytes"
	"fmt"
	"log/slog"
	"testing"

	"cellserver/cluster/entry"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"
	"cellserver/store"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// TestTheFeatureLevelCoversEveryChange has the changes that servers of each level can apply. A new change needs a new level,
// and a leader must not make it below that level.
func TestTheFeatureLevelCoversEveryChange(t *testing.T) {
	var changes []string
	for _, of := range store.Types() {
		for _, how := range of.Changes {
			changes = append(changes, how.Verb)
		}
	}
	levels := map[int][]string{7: {"ZADD", "ZREM", "HSET", "HDEL", "SADD", "SREM",
		"LPUSH", "RPUSH", "LPOP", "RPOP", "LSET", "LINSERT", "LREM", "LTRIM"}}
	require.ElementsMatch(t, levels[FeatureLevel], changes, "raise FeatureLevel, because older servers cannot apply this change")
	require.LessOrEqual(t, OldestFeatureLevel, FeatureLevel)
}

// newNode returns a node that knows a level. It does not run.
func newNode(knows int) *Group {
	s := store.New(store.Options{Databases: 1, Seed: 1})
	return New(Options{Self: topology.Node{ID: fmt.Sprintf("%040d", 1), Features: knows}, Store: s, Clock: stopped{}, Log: slog.New(slog.DiscardHandler)})
}

// stopped is a clock that stands still.
type stopped struct{}

func (stopped) Now() int64           { return 0 }
func (stopped) Monotonic() int64     { return 0 }
func (stopped) Continue(int64) int64 { return 0 }

// apply applies an entry with a body to a node.
func apply(t *testing.T, n *Group, index uint64, kind entry.Kind, body []byte) error {
	data := append(entry.AppendHeader(nil), body...)
	require.NoError(t, entry.Finish(data, entry.Entry{Kind: kind, Term: 2, Batch: index, Time: 1}))
	return n.applyLog(&raft.Log{Index: index, Term: 2, Data: data})
}

func epochOf(level uint16) []byte {
	return entry.AppendEpoch(nil, entry.Epoch{Groups: 1, Databases: 1, Features: level})
}

// TestANodeRefusesLevelsThatItDoesNotKnow requires that a node stops at the epoch of such a cluster, or at the entry that
// raises the level, and not at the first entry that it does not understand.
func TestANodeRefusesLevelsThatItDoesNotKnow(t *testing.T) {
	for knows := OldestFeatureLevel; knows <= FeatureLevel+2; knows++ {
		for level := OldestFeatureLevel - 1; level <= FeatureLevel+3; level++ {
			n, risen := newNode(knows), newNode(knows)
			err := apply(t, n, 1, entry.EpochBegins, epochOf(uint16(level)))
			require.NoError(t, apply(t, risen, 1, entry.EpochBegins, epochOf(OldestFeatureLevel)))
			raise := apply(t, risen, 2, entry.LevelRaised, entry.AppendLevel(nil, uint16(level)))
			for _, err := range []error{err, raise} {
				switch {
				case level > knows:
					require.ErrorContains(t, err, fmt.Sprintf("level %d, and this server knows level %d: install the newer release", level, knows))
				case level < OldestFeatureLevel:
					require.ErrorContains(t, err, fmt.Sprintf("this server knows levels %d to %d: first install a release that knows levels %d and %d",
						OldestFeatureLevel, knows, level, OldestFeatureLevel))
				default:
					require.NoError(t, err)
				}
			}
			if err != nil {
				require.ErrorIs(t, apply(t, n, 2, entry.Tick, nil), errBroken)
			} else {
				require.EqualValues(t, level, n.Level())
			}
		}
	}
	require.ErrorContains(t, apply(t, newNode(0), 1, entry.EpochBegins, []byte("x")), "must have 25")
	n := newNode(0)
	require.NoError(t, apply(t, n, 1, entry.EpochBegins, epochOf(FeatureLevel)))
	require.ErrorContains(t, apply(t, n, 2, entry.LevelRaised, []byte("x")), "must have 2")
}

// TestALevelNeverFalls: a new leader can propose its epoch before it has applied the entry that raises the level.
func TestALevelNeverFalls(t *testing.T) {
	n := newNode(FeatureLevel + 2)
	require.NoError(t, apply(t, n, 1, entry.EpochBegins, epochOf(FeatureLevel)))
	require.NoError(t, apply(t, n, 2, entry.LevelRaised, entry.AppendLevel(nil, FeatureLevel+1)))
	require.NoError(t, apply(t, n, 3, entry.EpochBegins, epochOf(FeatureLevel)))
	require.EqualValues(t, FeatureLevel+1, n.Level())
	require.EqualValues(t, FeatureLevel+1, n.Metrics().Level)
	require.EqualValues(t, FeatureLevel+2, n.Metrics().Knows)
}

// TestSnapshotsNameTheLevel: an older program refuses the snapshot of a newer cluster, and says what to do.
func TestSnapshotsNameTheLevel(t *testing.T) {
	n := newNode(7)
	require.NoError(t, apply(t, n, 1, entry.EpochBegins, epochOf(7)))
	body, err := roster.Encode(topology.Node{ID: fmt.Sprintf("%040d", 7), Host: "h", Port: 1, PeerPort: 2, Features: 7})
	require.NoError(t, err)
	require.NoError(t, apply(t, n, 2, entry.NodeKnown, body))
	file := snapshotOf(t, n)
	again := newNode(7)
	require.NoError(t, again.restore(bytes.NewReader(file)))
	require.EqualValues(t, 7, again.Level())
	require.Equal(t, 7, again.roster.Known()[0].Features)

	old := newNode(6)
	require.EqualError(t, old.restore(bytes.NewReader(file)), "the cluster works at feature level 7, and this server knows level 6: install the newer release")
	require.True(t, old.broken.Load())
}

// TestAStopEndsTheLoadOfASnapshot: the node has not failed, and applies nothing to half of its keys.
func TestAStopEndsTheLoadOfASnapshot(t *testing.T) {
	n := newNode(7)
	require.NoError(t, apply(t, n, 1, entry.EpochBegins, epochOf(7)))
	file := snapshotOf(t, n)
	stopped := newNode(7)
	ending := make(chan struct{})
	stopped.o.Ending, stopped.o.Failed = ending, func(err error) { t.Error(err) }
	require.NoError(t, stopped.restore(bytes.NewReader(file)))
	close(ending)
	require.ErrorIs(t, stopped.restore(bytes.NewReader(file)), errEnding)
	require.NoError(t, stopped.unloaded)
	require.ErrorIs(t, apply(t, stopped, 2, entry.Tick, nil), errBroken)
}

// snapshotOf returns the bytes of a snapshot of a node.
func snapshotOf(t *testing.T, n *Group) []byte {
	f, err := n.snapshot()
	require.NoError(t, err)
	out := &memorySink{}
	require.NoError(t, f.Persist(out))
	return out.Bytes()
}

// memorySink is a [raft.SnapshotSink] in memory.
type memorySink struct{ bytes.Buffer }

func (*memorySink) ID() string    { return "" }
func (*memorySink) Cancel() error { return nil }
func (*memorySink) Close() error  { return nil }

// TestTheLevelOfARoster: all members must know the level. A member that no entry has announced counts as level 0.
func TestTheLevelOfARoster(t *testing.T) {
	id := func(i int) string { return fmt.Sprintf("%040d", i) }
	r := roster.New(topology.Node{ID: id(1)})
	announce := func(i, level int) {
		body, err := roster.Encode(topology.Node{ID: id(i), Host: "h", Port: i, PeerPort: 1, Features: level})
		require.NoError(t, err)
		require.NoError(t, r.Note(body))
	}
	r.Configure(raft.Configuration{Servers: []raft.Server{{ID: raft.ServerID(id(1))}, {ID: raft.ServerID(id(2)), Suffrage: raft.Nonvoter}}})
	announce(1, 5)
	announce(3, 1)
	require.Zero(t, r.Level())
	announce(2, 4)
	require.EqualValues(t, 4, r.Level())
	require.Equal(t, []string{"h:2"}, r.Below(5))
	announce(1, 4)
	require.Equal(t, []string{"h:2"}, r.Below(5), "it names only other nodes")
	announce(1, 5)
	announce(2, 6)
	require.EqualValues(t, 5, r.Level())
	require.Empty(t, r.Below(5))
}
