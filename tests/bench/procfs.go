package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc on every architecture that Go knows: USER_HZ is 100.
const clockTick = 10 * time.Millisecond

// parseSteal reads from /proc/stat what the hypervisor gave to others.
func parseSteal(stat string) (time.Duration, error) {
	first, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(first)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, fmt.Errorf("/proc/stat begins with %q", first)
	}
	ticks, err := strconv.ParseInt(fields[8], 10, 64)
	return time.Duration(ticks) * clockTick, err
}

// processTime is what a process used, and what its children did that it has waited for.
type processTime struct{ own, children time.Duration }

// parseProcess reads /proc/PID/stat, and tells threads of the kernel from processes.
func parseProcess(stat string) (used processTime, kernel bool, err error) {
	// The name, in parentheses, may hold anything.
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 15 {
		return used, false, fmt.Errorf("a process says %q of itself", stat)
	}
	var ticks [4]int64
	for i := range ticks {
		if ticks[i], err = strconv.ParseInt(fields[11+i], 10, 64); err != nil {
			return used, false, err
		}
	}
	const kthreadd = "2"
	pid, _, _ := strings.Cut(stat, " ")
	used.own = time.Duration(ticks[0]+ticks[1]) * clockTick
	used.children = time.Duration(ticks[2]+ticks[3]) * clockTick
	return used, pid == kthreadd || fields[1] == kthreadd, nil
}

// parseResident finds VmRSS, in bytes, in /proc/PID/status.
func parseResident(status string) (int64, error) {
	for line := range strings.Lines(status) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kilobytes int64
			if _, err := fmt.Sscanf(text, "%d kB", &kilobytes); err != nil {
				return 0, fmt.Errorf("VmRSS:%s: %w", text, err)
			}
			return kilobytes << 10, nil
		}
	}
	return 0, fmt.Errorf("no VmRSS in the status of the server")
}
