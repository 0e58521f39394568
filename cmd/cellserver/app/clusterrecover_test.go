package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"cellserver/internal/config"
	"cellserver/internal/config/configload"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// config returns the configuration of a server.
func (c *testCluster) config(i int) *config.Config {
	args := []string{"--port", strconv.Itoa(c.ports[i]), "--dir", c.dirs[i], "--cluster-enabled", "yes", "--cluster-nodes"}
	for _, port := range c.ports {
		args = append(args, fmt.Sprint("127.0.0.1:", port))
	}
	cfg, _, err := configload.Load(args, nil, nil)
	require.NoError(c.t, err)
	return cfg
}

// One server goes on alone with what it has, and the others join it. A file of keys begins a cluster in the same way.
func TestRecoverAndImport(t *testing.T) {
	c := newCluster(t)
	require.Equal(t, resptest.Simple("OK"), c.do("SET", "a", "1"))
	for _, i := range c.followers() {
		c.read(i, "a", "1")
	}
	ok(t, c.nodes[0].dial(t), "SAVE")
	_, err := RecoverCluster(c.config(0))
	require.ErrorContains(t, err, "stop the server that uses it")
	for i := range c.nodes {
		c.end(i)
	}
	text, err := RecoverCluster(c.config(0))
	require.NoError(t, err)
	require.Contains(t, text, "recovered")
	again := func() {
		for _, i := range []int{1, 2} {
			require.NoError(t, os.RemoveAll(filepath.Join(c.dirs[i], "raft")))
		}
		for i := range c.nodes {
			c.start(i)
		}
		c.awaitEqualViews()
		c.replaces("a", "1", "2")
		for i := range c.nodes {
			c.end(i)
		}
	}
	again()

	cfg := c.config(0)
	_, err = ImportCluster(cfg, filepath.Join(c.dirs[0], "dump.rdb"))
	require.ErrorContains(t, err, "move it away first")
	require.NoError(t, os.RemoveAll(filepath.Join(c.dirs[0], "raft")))
	former, err := filepath.Glob(filepath.Join(c.dirs[0], "raft.old-*"))
	require.NoError(t, err)
	require.Len(t, former, 1)
	require.NoError(t, os.RemoveAll(former[0]))
	text, err = ImportCluster(cfg, filepath.Join(c.dirs[0], "dump.rdb"))
	require.NoError(t, err)
	require.Contains(t, text, "imported 1 keys")
	again()
	cfg.Port++
	_, err = RecoverCluster(cfg)
	require.ErrorContains(t, err, "no address of cluster-nodes is of this machine")
}
