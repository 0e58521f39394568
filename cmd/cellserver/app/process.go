package app

import (
	"os"
	"path/filepath"

	"cellserver/server/report"
)

// process is what INFO shows of this process.
func (a *App) process(configFile string) report.Process {
	executable, _ := os.Executable()
	if configFile != "" {
		if absolute, err := filepath.Abs(configFile); err == nil {
			configFile = absolute
		}
	}
	return report.Process{OS: system(), PID: os.Getpid(), Executable: executable, ConfigFile: configFile, Usage: a.usage}
}

// usage reads what the process uses now.
func (a *App) usage() report.Usage {
	u, carried := used(), a.transport.Traffic()
	u.Input, u.Output, u.Reads, u.Writes = carried.Input, carried.Output, carried.Reads, carried.Writes
	return u
}
