package app

import (
	"os"
	"strings"
)

// bootID tells one start of the kernel from another. It is "" where the kernel does not tell.
func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
