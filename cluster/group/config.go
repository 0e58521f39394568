package group

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"cellserver/cluster/entry"
	"cellserver/cluster/raftlog"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// raftConfig returns raft's configuration of a node.
func raftConfig(id string, nodeTimeout time.Duration, log *slog.Logger) *raft.Config {
	c := raft.DefaultConfig()
	c.LocalID = raft.ServerID(id)
	c.Logger = NewRaftLog(log)
	c.HeartbeatTimeout, c.ElectionTimeout = nodeTimeout, nodeTimeout+time.Millisecond // see listener.examine
	c.LeaderLeaseTimeout = nodeTimeout
	c.CommitTimeout = nodeTimeout / 10
	c.MaxAppendEntries = entry.MostAtOnce // more than the largest window
	c.BatchApplyCh = true                 // see Group.propose
	c.TrailingLogs = 1000
	// Package cluster decides when to take snapshots, by the bytes of the log: raft counts entries.
	c.SnapshotInterval, c.SnapshotThreshold = 24*time.Hour, 1<<62
	c.ShutdownOnRemove = false
	c.NoLegacyTelemetry = true
	return c
}

// NewRaftLog returns a logger for raft that writes to the server's log. Raft's warnings and errors stay
// warnings and errors. Raft's information is for its developers.
func NewRaftLog(log *slog.Logger) hclog.Logger {
	l := hclog.NewInterceptLogger(&hclog.LoggerOptions{Name: "raft", Level: hclog.Debug, Output: io.Discard})
	l.RegisterSink(raftSink{log})
	return l
}

// raftSink implements [hclog.SinkAdapter].
type raftSink struct{ log *slog.Logger }

// Accept implements [hclog.SinkAdapter].
func (s raftSink) Accept(_ string, level hclog.Level, msg string, args ...any) {
	to := slog.LevelDebug
	switch {
	case slices.ContainsFunc(aboutPeers, func(text string) bool { return strings.HasPrefix(msg, text) }):
	case slices.Contains(args, any(raftlog.ErrHeld)): // the node needs no snapshot
	case msg == "found temporary snapshot": // it is being written
	case level >= hclog.Error:
		to = slog.LevelError
	case level >= hclog.Warn:
		to = slog.LevelWarn
	}
	if !s.log.Enabled(context.Background(), to) {
		return
	}
	s.log.Log(context.Background(), to, "raft: "+msg, args...)
}

// aboutPeers begin raft's messages about a node that does not reply. Raft repeats them many times a second,
// so they are for its developers: the view of the cluster says which nodes are not healthy.
var aboutPeers = []string{
	"failed to appendEntries to", "failed to heartbeat to", "failed to make requestVote RPC", "failed to make requestPreVote RPC",
	"failed to contact", "failed to pipeline appendEntries", "peer has newer term", "appendEntries rejected", "rejecting ",
	"heartbeat timeout reached", "failed to decode incoming command", "failed to flush response", "Election timeout reached", "pre-vote", "duplicate requestVote", "unable to get address",
}
