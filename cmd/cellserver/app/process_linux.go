package app

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"cellserver/server/report"
)

// system names the operating system as Redis does: "Linux 6.1.0 x86_64".
func system() string {
	var u syscall.Utsname
	if syscall.Uname(&u) != nil {
		return "Linux"
	}
	return cString(u.Sysname[:]) + " " + cString(u.Release[:]) + " " + cString(u.Machine[:])
}

// cString returns the text before the first NUL. The type of the elements depends on the architecture.
func cString[C int8 | uint8](chars []C) string {
	var b []byte
	for _, c := range chars {
		if c == 0 {
			break
		}
		b = append(b, byte(c))
	}
	return string(b)
}

// processUsage returns the memory and the processor time of the process. A value that cannot be read is 0.
func processUsage() (u report.Usage) {
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		var size, resident int64 // pages
		if n, _ := fmt.Sscan(string(text), &size, &resident); n == 2 {
			u.Resident = resident * int64(os.Getpagesize())
		}
	}
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		u.SystemMemory = int64(info.Totalram) * int64(info.Unit)
	}
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) == nil {
		u.User, u.System = time.Duration(r.Utime.Nano()), time.Duration(r.Stime.Nano())
	}
	return u
}
