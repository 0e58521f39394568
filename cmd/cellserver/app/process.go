package app

import (
	"os"
	"path/filepath"

	"cellserver/server/report"
)

// processInfo returns what INFO shows of this process.
func processInfo(configFile string, usage func() report.Usage) report.Process {
	executable, _ := os.Executable()
	if configFile != "" {
		if absolute, err := filepath.Abs(configFile); err == nil {
			configFile = absolute
		}
	}
	return report.Process{OS: system(), PID: os.Getpid(), Executable: executable, ConfigFile: configFile, Usage: usage}
}
