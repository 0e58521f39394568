package group

import (
	"log/slog"
	"time"

	"cellserver/internal/topology"
	"cellserver/store"

	"github.com/hashicorp/raft"
)

// Options are the parts of a Group that package cluster provides.
type Options struct {
	Self    topology.Node // this node, with its id and its addresses
	Cluster [20]byte      // the id of the cluster
	Store   *store.Store
	Listed  []topology.Node // nodes as the configuration has them, until the log has them

	Disk      Disk
	Transport raft.Transport
	Clock     Clock
	Log       *slog.Logger

	Timing
	Reads Reads

	// Applied asks a node for the last entry that it has applied, and waits for the node.
	Applied func(of topology.Node) (index uint64, err error)
	// Replaced is called after the whole keyspace was replaced, so that the rest of the server forgets what
	// it knows about keys. It may be nil.
	Replaced func()
	// Epoch is called after an epoch in which this node served has begun or ended. It may be nil.
	Epoch func(begun bool)
	// StopScripts ends the scripts that take long and began before a time of the monotonic clock, and takes back
	// what they have done. They hold keys that the group needs. It may be nil.
	StopScripts func(before int64)
	// EndScripts ends all scripts that take long, after a time and until the caller calls done. It may be nil.
	EndScripts func(after time.Duration) (done func())
	// Own is called after entries or a snapshot may have changed the server's own database, before the next
	// entry, and before this node serves. It may lock partitions, and be nil.
	Own func()
	// Ending is closed as soon as the process is about to stop: the load of a snapshot ends then. It may be nil.
	Ending <-chan struct{}
	// Failed is called once if the node stops by itself. The error says what to do. It may be nil.
	Failed func(error)
}

// tellEpoch says that an epoch has begun or ended.
func (o *Options) tellEpoch(begun bool) {
	if o.Epoch != nil {
		o.Epoch(begun)
	}
}

// Disk is what a node remembers when it starts again.
type Disk struct {
	Logs      raft.LogStore
	Stable    raft.StableStore
	Snapshots raft.SnapshotStore
}

// Clock is the time of a node. Its methods are safe for concurrent use.
type Clock interface {
	Now() int64       // Unix nanoseconds; it may jump
	Monotonic() int64 // nanoseconds since some moment; it never jumps
	// Continue makes Now go on from a time, if that is ahead of the machine's clock by more than a limit. It
	// returns by how many nanoseconds. No time before counts any more.
	Continue(at int64) (gap int64)
}

// Timing says how fast a node acts.
type Timing struct {
	NodeTimeout time.Duration // if the leader is silent for this time, the others elect a new one
	Window      int           // entries that may wait for a majority at the same time; 0 is 1
	// by which the own clock may differ from most others; 0 is no limit; see CheckClocks
	MaxSkew time.Duration
}

// Reads says how a leader proves that it leads before it answers from its memory.
type Reads uint8

// The ways of reading.
const (
	Lease  Reads = iota // it has a lease: a majority has confirmed an entry a short time ago
	Quorum              // a majority confirms an entry for the read
)
