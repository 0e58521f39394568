package app

import (
	"cellserver/commands"
	"cellserver/config"
	"cellserver/persistence"
	"cellserver/persistence/fs"
)

// keep makes what keeps the store on disk.
func (a *App) keep(cfg *config.Config) {
	a.disk = persistence.New(persistence.Options{
		Store: a.store, FS: fs.OS{}, Clock: a.clock, Log: a.log, Settings: settings(cfg),
		Version: commands.RedisVersion,
		Changes: func() int64 { return a.commands.Changes() },
		Condition: func(c persistence.Condition) {
			a.commands.SetCondition(commands.Condition{Loading: c.Loading, SaveFailed: c.SaveFailed})
		},
	})
}

// settings are what a configuration says about persistence.
func settings(cfg *config.Config) persistence.Settings {
	s := persistence.Settings{
		Dir: cfg.Dir, DBFilename: cfg.DBFilename, Checksum: cfg.RDBChecksum, StopWrites: cfg.StopWritesOnBGSaveError,
		SkipUnsupported: cfg.RDBSkipUnsupported,
	}
	for _, p := range cfg.Save {
		s.Save = append(s.Save, persistence.SavePoint{Seconds: p.Seconds, Changes: p.Changes})
	}
	return s
}
