package app

import (
	"context"
	"time"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/persistence"
	"cellserver/persistence/aof"
	"cellserver/persistence/fs"
	"cellserver/server"
)

// keep makes what keeps the store on disk.
func (a *App) keep(cfg *config.Config) {
	a.disk = persistence.New(persistence.Options{
		Store: a.store, FS: fs.OS{}, Clock: a.clock, Log: a.log, Settings: settings(cfg),
		Version: commands.RedisVersion,
		Changes: func() int64 { return a.commands.Changes() },
		Condition: func(c persistence.Condition) {
			a.commands.SetCondition(server.Condition{
				Loading: c.Loading, SaveFailed: c.SaveFailed, LogFailed: c.LogFailed, LogStrict: c.LogStrict,
			})
		},
		Replayer: func(db int, args [][]byte) error { return a.replay(db, args) },
	})
}

// policies are the values of appendfsync.
var policies = map[config.Fsync]aof.Policy{
	config.FsyncEverySecond: aof.EverySecond, config.FsyncAlways: aof.Always, config.FsyncNo: aof.Never,
}

// pulse lets the append-only file do what is due, until ctx ends.
func (a *App) pulse(ctx context.Context) {
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			a.disk.Pulse()
		}
	}
}

// settings are what a configuration says about persistence.
func settings(cfg *config.Config) persistence.Settings {
	s := persistence.Settings{
		Dir: cfg.Dir, DBFilename: cfg.DBFilename, Checksum: cfg.RDBChecksum, StopWrites: cfg.StopWritesOnBGSaveError,
		SkipUnsupported: cfg.RDBSkipUnsupported,
		AppendOnly:      cfg.AppendOnly, AppendFsync: policies[cfg.AppendFsync],
		AppendDir: cfg.AppendDirName, AppendName: cfg.AppendFilename, LoadTruncated: cfg.AOFLoadTruncated,
		RewritePercentage: int64(cfg.AutoAOFRewritePercent), RewriteMinSize: cfg.AutoAOFRewriteMinSize,
	}
	for _, p := range cfg.Save {
		s.Save = append(s.Save, persistence.SavePoint{Seconds: p.Seconds, Changes: p.Changes})
	}
	return s
}
