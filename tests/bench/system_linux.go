package main

import (
	"math"
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

// openFiles is how many files this process may open.
func openFiles() (int, error) {
	var limit syscall.Rlimit
	err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit)
	return int(min(limit.Cur, math.MaxInt32)), err
}
