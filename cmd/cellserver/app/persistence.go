package app

import (
	"context"
	"sync/atomic"
	"time"

	"cellserver/cmd/cellserver/clock"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/persistence"
	"cellserver/persistence/aof"
	"cellserver/persistence/fs"
	"cellserver/server"
	"cellserver/store"
)

// disk keeps the store on disk.
type disk struct {
	*persistence.Manager
	server  *server.Server
	follow  func()                            // follows another server, if this one is to
	replay  func(db int, args [][]byte) error // runs a command of a log that a Redis wrote
	cluster atomic.Pointer[server.Condition]  // of a member of a cluster; nil: nothing is wrong
}

// newDisk makes a disk. The server needs the disk, and the disk needs the server from its start on: connect
// passes it.
func newDisk(s *store.Store, c *clock.Clock, log *logger, cfg *config.Config) *disk {
	d := &disk{}
	d.Manager = persistence.New(persistence.Options{
		Store: s, FS: fs.OS{}, Clock: c, Log: log.Logger, Settings: settings(cfg),
		Version: commands.RedisVersion,
		Condition: func(c persistence.Condition) {
			if d.cluster.Load() == nil {
				d.server.SetCondition(server.Condition{
					Loading: c.Loading, SaveFailed: c.SaveFailed, LogFailed: c.LogFailed, LogStrict: c.LogStrict,
				})
			}
		},
		Replayer: func(db int, args [][]byte) error { return d.replay(db, args) },
		Loaded: func() {
			d.server.KeysReplaced()
			d.follow()
		},
	})
	return d
}

// connect passes the server, and a function that follows another one. It is called once, before the disk
// starts.
func (d *disk) connect(s *server.Server, follow func()) {
	d.server, d.replay, d.follow = s, s.Replayer(), follow
}

// fail replaces the condition of the server until recover.
func (d *disk) fail(c server.Condition) {
	d.cluster.Store(&c)
	d.server.SetCondition(c)
}

// recover ends the condition of fail.
func (d *disk) recover() {
	d.cluster.Store(nil)
	d.server.SetCondition(server.Condition{})
}

// configure applies the directives of persistence.
func (d *disk) configure(cfg *config.Config) error { return d.Configure(settings(cfg)) }

// policies has the fsync policy of each value of appendfsync.
var policies = map[config.Fsync]aof.Policy{
	config.FsyncEverySecond: aof.EverySecond, config.FsyncAlways: aof.Always, config.FsyncNo: aof.Never,
}

// tick does the periodic work of the disk until ctx ends. It has a goroutine of its own, so that no background
// round waits for an fsync.
func (d *disk) tick(ctx context.Context, log *logger) {
	for tick := time.Tick(100 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			log.guard("the periodic work of the disk panicked", d.Tick)
		}
	}
}

// settings returns the directives of persistence.
func settings(cfg *config.Config) persistence.Settings {
	s := persistence.Settings{
		Dir: cfg.Dir, DBFilename: cfg.DBFilename, Checksum: cfg.RDBChecksum, StopWrites: cfg.StopWritesOnBGSaveError,
		SkipUnsupported: cfg.RDBSkipUnsupported,
		AppendOnly:      cfg.AppendOnly, AppendFsync: policies[cfg.AppendFsync],
		AppendDir: cfg.AppendDirName, AppendName: cfg.AppendFilename, LoadTruncated: cfg.AOFLoadTruncated,
		Exports: len(cfg.Cluster.Nodes) > 0, RewritePercentage: int64(cfg.AutoAOFRewritePercent), RewriteMinSize: cfg.AutoAOFRewriteMinSize,
	}
	for _, p := range cfg.Save {
		s.Save = append(s.Save, persistence.SavePoint(p))
	}
	return s
}
