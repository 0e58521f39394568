//go:build !linux

package main

import (
	"errors"
	"time"
)

var errLinux = errors.New("servers are measured on Linux only")

// cpu would be the processor time that a process has used.
func cpu(int) (time.Duration, error) { return 0, errLinux }

// childrenCPU would be that of the children that it has waited for.
func childrenCPU(int) (time.Duration, error) { return 0, errLinux }

// othersTime would be the processor time that was kept from this program and its servers.
func othersTime([]int) (time.Duration, error) { return 0, errLinux }

// openFiles would be how many files this process may open.
func openFiles() (int, error) { return 0, errLinux }
