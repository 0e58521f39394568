package buildtest

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	server string
	kept   = "a path that was there"
)

func TestMain(m *testing.M) {
	os.Exit(Run(m, Program{Package: Server, Path: &server}, Program{Package: Server, Path: &kept}))
}

func TestRun(t *testing.T) {
	out, err := exec.Command(server, "--version").CombinedOutput()
	require.NoError(t, err)
	require.Contains(t, string(out), "cellserver")
	require.Equal(t, "a path that was there", kept)
}
