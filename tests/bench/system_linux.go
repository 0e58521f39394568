package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

// cpu is the processor time that a process has used, in user and in kernel mode, its ended threads included: the sum of
// utime and stime of /proc/PID/stat, to the nanosecond instead of to the hundredth of a second.
func cpu(pid int) (time.Duration, error) {
	// The clock of another process: clock_getcpuclockid(3).
	const perProcess = 2
	clock := ^uintptr(pid)<<3 | perProcess
	var t syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clock, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		return 0, errno
	}
	return time.Duration(t.Nano()), nil
}

// childrenCPU is the processor time of the children that a process has waited for: to a hundredth of a second.
func childrenCPU(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	used, _, err := parseProcess(string(stat))
	return used.children, err
}

// othersTime is the processor time that was kept from this program and its servers so far: what all other processes used,
// with those that they have waited for, and what the hypervisor gave to other machines. Its growth counts, not its value.
// Threads of the kernel do not count: what they do, they may do for us.
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
			continue // it has ended, and whoever waited for it has its time now
		}
		if used, kernel, err := parseProcess(string(stat)); err != nil {
			return 0, err
		} else if !kernel {
			total += used.own + used.children
		}
	}
	return total, nil
}

// openFiles is how many files this process may open.
func openFiles() (int, error) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return int(min(limit.Cur, math.MaxInt32)), err
}
