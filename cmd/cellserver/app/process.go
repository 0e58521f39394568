package app

import (
	"os"
	"path/filepath"

	"cellserver/commands"
)

// process is what INFO shows of this process.
func (a *App) process(configFile string) commands.Process {
	executable, _ := os.Executable()
	if configFile != "" {
		if absolute, err := filepath.Abs(configFile); err == nil {
			configFile = absolute
		}
	}
	return commands.Process{OS: system(), PID: os.Getpid(), Executable: executable, ConfigFile: configFile, Usage: a.usage}
}

// usage reads what the process uses now.
func (a *App) usage() commands.Usage {
	u := used()
	for i := range a.traffic.meters {
		m := &a.traffic.meters[i]
		u.Input += m.input.Load()
		u.Output += m.output.Load()
		u.Reads += m.reads.Load()
		u.Writes += m.writes.Load()
	}
	return u
}
