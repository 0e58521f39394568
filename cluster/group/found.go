package group

import (
	"errors"
	"fmt"

	"cellserver/cluster/entry"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// Bootstrap makes the first members of a new cluster. Each of them calls it once with the same list, before
// Start.
func Bootstrap(o Options, members []topology.Node) error {
	var all raft.Configuration
	for _, m := range members {
		voter := raft.Server{ID: raft.ServerID(m.ID), Address: roster.RaftAddress(m), Suffrage: raft.Voter}
		all.Servers = append(all.Servers, voter)
	}
	c, d := raftConfig(o.Self.ID, o.NodeTimeout, o.Log), &o.Disk
	return raft.BootstrapCluster(c, d.Logs, d.Stable, d.Snapshots, o.Transport, all)
}

// foundingTerm is the term of a node that Found has made. It is not 1, because term 1 means that a node
// waits for its first election.
const foundingTerm = 2

// foundingIndex is how many entries this node has. It is not 1: see raftlog.Joined.GetLog.
const foundingIndex = 2

// Found makes the disk of the only node of a new cluster, which has the keys of the store. now is the time
// of the log.
func Found(o Options, now int64) error {
	o.Self.Features = FeatureLevel
	self, err := roster.Encode(o.Self)
	if err != nil {
		return err
	}
	s, err := o.Store.Snapshot(now, func() {})
	if err != nil {
		return err
	}
	voters := raft.Configuration{Servers: []raft.Server{{ID: raft.ServerID(o.Self.ID),
		Address: roster.RaftAddress(o.Self)}}}
	sink, err := o.Disk.Snapshots.Create(raft.SnapshotVersionMax, foundingIndex, foundingTerm, voters, 1, o.Transport)
	if err != nil {
		s.Close()
		return err
	}
	facts := entry.Facts{Cluster: o.Cluster, Index: foundingIndex, Term: foundingTerm, Time: now, Level: FeatureLevel,
		Nodes: [][]byte{self}}
	if err := entry.SaveImage(sink, s, facts, nil); err != nil {
		return errors.Join(err, sink.Cancel())
	}
	if err := sink.Close(); err != nil {
		return err
	}
	return o.Disk.Stable.SetUint64([]byte("CurrentTerm"), foundingTerm)
}

// Recover loads everything that a disk has into the empty store. It also loads the last entries, even if
// perhaps no majority had them. It returns the index of the last entry, and the time of the log.
func Recover(o Options) (last uint64, time int64, err error) {
	g := New(o)
	if last, err = o.Disk.lastToReplay(); err == nil {
		last, err = g.replay(last)
	}
	return last, g.fsm.time, err
}

// lastToReplay returns the index of the last entry of the log. It returns 0 if the log lacks the last entry
// of the newest snapshot. Then the log is that of another leader, and a crash has left it.
func (d *Disk) lastToReplay() (last uint64, err error) {
	all, err := d.Snapshots.List()
	if err != nil {
		return 0, fmt.Errorf("the snapshots cannot be listed: %w", err)
	}
	var l raft.Log
	if len(all) > 0 && d.Logs.GetLog(all[0].Index, &l) == nil && l.Term != all[0].Term {
		return 0, nil
	}
	return d.Logs.LastIndex()
}
