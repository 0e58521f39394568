package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// place lets this program, with all its threads and what it starts from now on, run on some cores alone: "1", "0-3,8".
func place(ctx context.Context, cores string) error {
	out, err := exec.CommandContext(ctx, "taskset", "-a", "-c", "-p", cores, strconv.Itoa(os.Getpid())).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, out)
	}
	runtime.SetDefaultGOMAXPROCS() // it looks at the cores again
	return nil
}

// onAllCores lets clients, and servers of the options that it returns, run on every core until it is undone.
func onAllCores(ctx context.Context, o options) (everywhere options, undo func() error, err error) {
	online, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return o, nil, err
	}
	everywhere = o
	everywhere.core = strings.TrimSpace(string(online))
	everywhere.loadCore = everywhere.core
	return everywhere, func() error { return place(ctx, o.loadCore) }, place(ctx, everywhere.loadCore)
}
