package app

import (
	"errors"

	"cellserver/cluster"
	"cellserver/commands"
	"cellserver/persistence"
	"cellserver/store"
)

// clusterDisk is the disk of a member of a cluster: its append-only file is the log of the cluster, and a
// rewrite is a snapshot. It implements [commands.Persistence].
type clusterDisk struct {
	*persistence.Manager
	member *cluster.Member
}

// Save implements [commands.Persistence].
func (d clusterDisk) Save() error {
	err := d.Manager.Save()
	if errors.Is(err, store.ErrSnapshot) {
		return commands.ErrClusterSnapshot
	}
	return err
}

// BackgroundRewrite implements [commands.Persistence].
func (d clusterDisk) BackgroundRewrite() error {
	err := d.member.Snapshot()
	if errors.Is(err, cluster.ErrBusy) {
		return persistence.ErrBusy
	}
	return err
}

// ScheduleRewrite implements [commands.Persistence].
func (d clusterDisk) ScheduleRewrite() { d.member.ScheduleSnapshot() }

// Info implements [commands.Persistence]. The fields of a rewrite show the snapshots of the cluster.
func (d clusterDisk) Info(add func(name string, value any)) {
	writing, scheduled, failed := d.member.SnapshotState()
	bit, status := map[bool]int{true: 1}, map[bool]string{false: "ok", true: "err"}
	own := map[string]any{
		"aof_rewrite_in_progress": bit[writing], "aof_rewrite_scheduled": bit[scheduled], "aof_last_bgrewrite_status": status[failed],
		"aof_last_write_status": status[d.member.DiskFailed()],
	}
	d.Manager.Info(func(name string, value any) {
		if instead, found := own[name]; found {
			value = instead
		}
		add(name, value)
	})
}

// Writing implements [commands.Persistence].
func (d clusterDisk) Writing() string {
	if writing, _, _ := d.member.SnapshotState(); writing {
		return "aof"
	}
	return d.Manager.Writing()
}
