package server

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
)

// Pin lets this program and all processes that it starts later run on some cores only, such as "1" or "0-3,8".
func Pin(ctx context.Context, cores string) error {
	out, err := exec.CommandContext(ctx, "taskset", "-a", "-c", "-p", cores, strconv.Itoa(os.Getpid())).CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, out)
	}
	runtime.SetDefaultGOMAXPROCS() // GOMAXPROCS follows the new set of cores
	return nil
}
