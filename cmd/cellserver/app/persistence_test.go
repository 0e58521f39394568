package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestInfoHasTheFieldsOfRedis(t *testing.T) {
	real := resptest.Dial(t, resptest.StartRedis(t)).Do("INFO", "persistence").(string)
	ours := start(t).dial(t).Do("INFO", "persistence").(string)
	for line := range strings.SplitSeq(real, "\r\n") {
		if name, _, ok := strings.Cut(line, ":"); ok {
			require.Contains(t, ours, "\r\n"+name+":")
		}
	}
}

func TestARestartKeepsTheData(t *testing.T) {
	dir := t.TempDir()
	in := start(t, "--dir", dir, "--save", "3600", "1")
	c := in.dial(t)
	ok(t, c, "SET", "k", "v")
	c.Do("CL.THROTTLE", "user", 1, 1, 3600)
	tat := c.Do("GET", "user")
	in.stop()
	in.wait(t)
	require.FileExists(t, filepath.Join(dir, "dump.rdb"))

	again := start(t, "--dir", dir, "--save", "3600", "1").dial(t)
	require.Equal(t, "v", again.Do("GET", "k"))
	require.Equal(t, tat, again.Do("GET", "user"))
}

func TestADamagedDumpRefusesToStart(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "dump.rdb")
	require.NoError(t, os.WriteFile(path, []byte("REDIS0009 and nonsense"), 0o600))
	in, err := open(t, "--dir", dir)
	require.NoError(t, err)
	err = in.Run(t.Context())
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "at byte 9")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "REDIS0009 and nonsense", string(after))
}

func TestTwoServersDoNotShareADirectory(t *testing.T) {
	dir := t.TempDir()
	start(t, "--dir", dir, "--save", "3600", "1").dial(t)
	in, err := open(t, "--dir", dir, "--save", "3600", "1")
	require.NoError(t, err)
	require.ErrorContains(t, in.Run(t.Context()), "belongs to another server that runs")
}
