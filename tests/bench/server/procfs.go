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

// parseProcess reads /proc/PID/stat: the processor time of a process, and of the children that it has waited
// for. kernel reports whether the process is a kernel thread.
func parseProcess(stat string) (used time.Duration, kernel bool, err error) {
	// The name in parentheses may contain spaces and parentheses.
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 15 {
		return used, false, fmt.Errorf("a process says %q of itself", stat)
	}
	for _, text := range fields[11:15] {
		ticks, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, false, err
		}
		used += time.Duration(ticks) * clockTick
	}
	const kthreadd = "2"
	pid, _, _ := strings.Cut(stat, " ")
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
