package app

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestTooFewFilesForHTTP names the port that needs them.
func TestTooFewFilesForHTTP(t *testing.T) {
	old := &config.Config{HTTP: config.HTTP{MaxConnections: 1 << 20}}
	old.MaxClients = maxClients(old)
	for directive, web := range map[string]config.Web{
		"http-port": {Port: 1}, "http-tls-port": {TLSPort: 1},
	} {
		cfg := *old
		cfg.HTTP.Web = web
		var refusal *commands.Refusal
		require.ErrorAs(t, refuseClients(old, &cfg), &refusal)
		require.Equal(t, directive, refusal.Directive)
		require.ErrorContains(t, refusal.Reason, "first set maxclients to")
	}
}

// TestARefusedChangeChangesNothing: the parts before the one that refuses are as CONFIG GET says. Once a
// refused change switched the append-only file off, and a crash lost what came later.
func TestARefusedChangeChangesNothing(t *testing.T) {
	dir, port, metrics := t.TempDir(), porttest.Free(t), porttest.Free(t)
	for _, limit := range []string{"1", "2"} {
		text := []byte("rules:\n  r:\n    limits: CL.WINDOW " + limit + " 60\n")
		require.NoError(t, os.WriteFile(filepath.Join(dir, limit), text, 0o600))
	}
	in := start(t, "--dir", dir, "--appendonly", "yes", "--rules-file", filepath.Join(dir, "1"),
		"--metrics-port", fmt.Sprint(port), "--enable-protected-configs", "yes")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	c := in.dial(t)
	reply := c.Do("CONFIG", "SET", "appendonly", "no", "rules-file", filepath.Join(dir, "2"),
		"metrics-port", metrics, "port", taken.Addr().(*net.TCPAddr).Port)
	require.Contains(t, fmt.Sprint(reply), "Unable to listen on this port")
	require.Equal(t, []any{"appendonly", "yes"}, c.Do("CONFIG", "GET", "appendonly"))
	info := c.Do("INFO", "persistence")
	require.Contains(t, info, "aof_enabled:1\r\n")
	for _, name := range []string{"aof_rewrites", "aof_rewrite_in_progress", "aof_rewrite_scheduled"} {
		require.Contains(t, info, name+":0\r\n", "the log was never off")
	}
	require.Equal(t, int64(1), c.Do("CL.CHECK", "r", "k", 0).([]any)[1])
	require.Equal(t, fmt.Sprintf("127.0.0.1:%d", port), in.exporter.Plain.Address())
	reply = c.Do("CONFIG", "SET", "dir", t.TempDir(), "metrics-port", metrics)
	require.Contains(t, fmt.Sprint(reply), "the directory cannot change while appendonly is yes")
	require.Equal(t, fmt.Sprintf("127.0.0.1:%d", port), in.exporter.Plain.Address())
	require.NotContains(t, in.log.String(), "does not take the configuration in force again")
}

// TestARefusedDirAndLogCanChangeLater: a refused change neither begins a log, which the next start would refuse,
// nor keeps the directory.
func TestARefusedDirAndLogCanChangeLater(t *testing.T) {
	before, after := t.TempDir(), t.TempDir()
	in := start(t, "--dir", before, "--enable-protected-configs", "yes")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	c := in.dial(t)
	reply := c.Do("CONFIG", "SET", "appendonly", "yes", "dir", after, "port", taken.Addr().(*net.TCPAddr).Port)
	require.Contains(t, fmt.Sprint(reply), "Unable to listen on this port")
	require.Equal(t, resptest.Simple("OK"), c.Do("CONFIG", "SET", "maxmemory", "1gb"))
	require.NotContains(t, in.log.String(), "does not take the configuration in force again")
	files, err := os.ReadDir(after)
	require.NoError(t, err)
	require.Empty(t, files)
}

// TestARefusedChangeGivesPortsBack: a listener has left its port to another one, and takes it again.
func TestARefusedChangeGivesPortsBack(t *testing.T) {
	port, other := porttest.Free(t), porttest.Free(t)
	in := start(t, "--metrics-port", fmt.Sprint(port))
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	reply := in.dial(t).Do("CONFIG", "SET", "metrics-port", other, "http-port", port,
		"port", taken.Addr().(*net.TCPAddr).Port)
	require.Contains(t, fmt.Sprint(reply), "Unable to listen on this port")
	require.Equal(t, fmt.Sprintf("127.0.0.1:%d", port), in.exporter.Plain.Address())
	require.Empty(t, in.api.Plain.Address())
	require.NotContains(t, in.log.String(), "does not take the configuration in force again")
}

// TestListLimits has the sizes of list-max-listpack-size, as Redis reads them.
func TestListLimits(t *testing.T) {
	for size, want := range map[int][2]int{
		-1: {1<<31 - 1, 4 << 10}, -2: {1<<31 - 1, 8 << 10}, -5: {1<<31 - 1, 64 << 10}, -99: {1<<31 - 1, 64 << 10},
		-1 << 31: {1<<31 - 1, 64 << 10}, 0: {1, 8 << 10}, 1: {1, 8 << 10}, 500: {500, 8 << 10},
	} {
		entries, bytes := listLimits(size)
		require.Equal(t, want, [2]int{entries, bytes}, "%d", size)
	}
}
