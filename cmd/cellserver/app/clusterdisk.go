package app

import (
	"errors"

	"cellserver/cluster/member"
	"cellserver/persistence"
)

// clusterDisk is the disk of a member of a cluster: its append-only file is the log of the cluster, and a rewrite is a
// snapshot. It implements [commands.Persistence].
type clusterDisk struct {
	*persistence.Manager
	member *member.Member
}

// BackgroundRewrite implements [commands.Persistence].
func (d clusterDisk) BackgroundRewrite() error {
	err := d.member.Snapshot()
	if errors.Is(err, member.ErrBusy) {
		return persistence.ErrBusy
	}
	return err
}

// ScheduleRewrite implements [commands.Persistence].
func (d clusterDisk) ScheduleRewrite() { d.member.ScheduleSnapshot() }

// Writing implements [commands.Persistence].
func (d clusterDisk) Writing() string {
	if d.member.WritesSnapshot() {
		return "aof"
	}
	return d.Manager.Writing()
}
