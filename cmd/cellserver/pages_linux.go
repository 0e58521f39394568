package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// dropStartPages gives back the pages of code that only the start needed. The system maps a page again when
// its code runs.
func dropStartPages() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, _ := os.ReadFile("/proc/self/maps") // without a list there is nothing to drop
	for line := range bytes.Lines(maps) {
		var from, to uintptr
		var mode string
		_, err := fmt.Sscanf(string(line), "%x-%x %s", &from, &to, &mode)
		if err == nil && mode == "r-xp" && bytes.HasSuffix(line, []byte(" "+program+"\n")) {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED)
		}
	}
}
