//go:build !linux

package app

import (
	"runtime"

	"cellserver/commands"
)

// system names the operating system.
func system() string { return runtime.GOOS + " " + runtime.GOARCH }

// used knows nothing here.
func used() commands.Usage { return commands.Usage{} }
