package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// TestAnIdleSidecarIsSmall: the pages that only the start needed are given back.
func TestAnIdleSidecarIsSmall(t *testing.T) {
	cmd := program(t, "--port", fmt.Sprint(porttest.Free(t)), "--dir", t.TempDir(), "--upstream", "127.0.0.1:1")
	serveProgram(t, cmd)
	resident := 0
	require.Eventually(t, func() bool {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
		require.NoError(t, err)
		_, after, _ := strings.Cut(string(status), "VmRSS:")
		_, err = fmt.Sscan(after, &resident)
		require.NoError(t, err)
		return resident <= 15_000
	}, timeout, time.Millisecond)
}
