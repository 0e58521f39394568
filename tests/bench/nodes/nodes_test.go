package nodes

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"cellserver/resp/resptest"
	"cellserver/tests/bench/server"

	"github.com/stretchr/testify/require"
)

func TestCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	program := filepath.Join(t.TempDir(), "cellserver")
	out, err := exec.Command("go", "build", "-o", program, "cellserver/cmd/cellserver").CombinedOutput()
	require.NoError(t, err, string(out))
	c, err := Start(t.Context(), program, 3)
	require.NoError(t, err)
	defer c.Stop()
	clients, err := StartClients(t.Context(), 2, c.Addrs())
	require.NoError(t, err)
	defer clients.Stop()
	leader, err := c.Leader(t.Context())
	require.NoError(t, err)
	require.Len(t, c.PIDs(leader), 3)
	require.Equal(t, c.all[leader].cmd.Process.Pid, c.PIDs(leader)[0])

	clients.Mark()
	c.Kill(leader)
	require.NoError(t, clients.Await(t.Context(), time.Now()))
	// A client may have its last reply of the old leader only now.
	require.Eventually(t, func() bool { return clients.Longest() > 100*time.Millisecond }, patience, time.Millisecond, "an election takes time")
	next, err := c.Leader(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, leader, next)
	require.NoError(t, c.Heal(t.Context()))
}

func TestOneServerLeads(t *testing.T) {
	c, err := Start(t.Context(), "redis-server", 0, "--appendonly", "no") // any server knows ROLE
	require.NoError(t, err)
	defer c.Stop()
	leader, err := c.Leader(t.Context())
	require.NoError(t, err)
	require.Zero(t, leader)
	require.Len(t, c.PIDs(0), 1)
}

func TestAReplica(t *testing.T) {
	c, err := StartReplicated(t.Context())
	require.NoError(t, err)
	defer c.Stop()
	require.Len(t, c.PIDs(0), 2)
	reply, err := c.all[0].ask("WAIT", 1, 0)
	require.NoError(t, err)
	require.EqualValues(t, 1, reply)
}

func TestTexts(t *testing.T) {
	require.Equal(t, "ok", server.Field("# Cluster\r\ncluster_state:ok\r\nx:1\r\n", "cluster_state"))
	require.Empty(t, server.Field("x:1\r\n", "y"))
	require.Equal(t, "127.0.0.1:2", Moved(resptest.Error("MOVED 1 127.0.0.1:2")))
	require.Empty(t, Moved(resptest.Error("CLUSTERDOWN The cluster is down")))
}
