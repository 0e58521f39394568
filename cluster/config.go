package cluster

import (
	"log/slog"
	"time"

	"cellserver/cluster/carrier"

	"github.com/hashicorp/raft"
)

// raftConfig returns raft's configuration of a node.
func raftConfig(id string, nodeTimeout time.Duration, log *slog.Logger) *raft.Config {
	c := raft.DefaultConfig()
	c.LocalID = raft.ServerID(id)
	c.Logger = NewRaftLog(log)
	c.HeartbeatTimeout, c.ElectionTimeout = nodeTimeout, nodeTimeout
	c.LeaderLeaseTimeout = nodeTimeout
	c.CommitTimeout = nodeTimeout / 10
	c.MaxAppendEntries = carrier.MaxEntries // more than the largest window
	c.BatchApplyCh = true                   // see Node.propose
	c.TrailingLogs = 1000
	// The edge decides when to take snapshots, by the bytes of the log: raft counts entries.
	c.SnapshotInterval, c.SnapshotThreshold = 24*time.Hour, 1<<62
	c.ShutdownOnRemove = false
	c.NoLegacyTelemetry = true
	return c
}
