//go:build !linux

package server

import (
	"errors"
	"time"
)

var errLinux = errors.New("servers are measured on Linux only")

// CPU returns the processor time of a process.
func CPU(int) (time.Duration, error) { return 0, errLinux }

// childrenCPU returns the processor time of the children that a process has waited for.
func childrenCPU(int) (time.Duration, error) { return 0, errLinux }

// othersTime returns the processor time that this program and its servers did not get.
func othersTime([]int) (time.Duration, error) { return 0, errLinux }

// OpenFiles returns how many files this process may open.
func OpenFiles() (int, error) { return 0, errLinux }
