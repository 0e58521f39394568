package server

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of times in /proc. USER_HZ is 100 on every architecture that Go supports.
const clockTick = 10 * time.Millisecond

// parseSteal reads the stolen time of /proc/stat: the hypervisor gave it to other machines.
func parseSteal(stat string) (time.Duration, error) {
	first, _, _ := strings.Cut(stat, "\n")
	fields := strings.Fields(first)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, fmt.Errorf("/proc/stat begins with %q", first)
	}
	ticks, err := strconv.ParseInt(fields[8], 10, 64)
	return time.Duration(ticks) * clockTick, err
}

// processTime is the processor time of a process, and of the children that it has waited for.
type processTime struct{ own, children time.Duration }

// parseProcess reads /proc/PID/stat. kernel reports whether the process is a kernel thread.
func parseProcess(stat string) (used processTime, kernel bool, err error) {
	// The name in parentheses may contain spaces and parentheses.
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

// parseResident returns VmRSS of /proc/PID/status, in bytes.
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
