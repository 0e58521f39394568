package app

import (
	"os"
	"strings"
)

// bootID returns an id that differs for each start of the kernel. It is "" if the kernel has no such id.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
