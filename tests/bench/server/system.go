package server

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the processor time of a process in user and kernel mode, with its ended threads. It is utime +
// stime of /proc/PID/stat, but in nanoseconds instead of hundredths of a second.
func CPU(pid int) (time.Duration, error) {
	const perProcess = 2 // the clock of another process: clock_getcpuclockid(3)
	var t unix.Timespec
	err := unix.ClockGettime(^int32(pid)<<3|perProcess, &t)
	return time.Duration(t.Nano()), err
}

// othersTime returns the processor time that this program and its servers did not get. It sums all other
// processes, the children that they waited for, and the time that the hypervisor gave to other machines.
// Only its growth has a meaning. Kernel threads do not count, because they may work for the servers.
func othersTime(ours []int) (time.Duration, error) {
	system, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	total, err := parseSteal(string(system))
	if err != nil {
		return 0, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, err
	}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || slices.Contains(ours, pid) {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // the process has ended, and its parent's time includes its time now
		}
		if used, kernel, err := parseProcess(string(stat)); err != nil {
			return 0, err
		} else if !kernel {
			total += used
		}
	}
	return total, nil
}
