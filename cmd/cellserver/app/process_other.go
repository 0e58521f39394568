//go:build !linux

package app

import (
	"runtime"

	"cellserver/server/report"
)

// system names the operating system.
func system() string { return runtime.GOOS + " " + runtime.GOARCH }

// processUsage returns zeros on this system.
func processUsage() report.Usage { return report.Usage{} }
