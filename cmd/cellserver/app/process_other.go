//go:build !linux

package app

import (
	"runtime"

	"cellserver/server/report"
)

// system names the operating system.
func system() string { return runtime.GOOS + " " + runtime.GOARCH }

// used knows nothing here.
func used() report.Usage { return report.Usage{} }
