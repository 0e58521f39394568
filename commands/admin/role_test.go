package admin

import (
	"testing"

	"cellserver/internal/topology"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestRole(t *testing.T) { servertest.New(t).Want("ROLE", []any{"master", 0, []any{}}) }

func TestRoleInACluster(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 0)
	h.Want("ROLE", []any{"master", 42, []any{[]string{"10.0.0.2", "6379", "40"}, []string{"10.0.0.3", "6379", "40"}}})
	cluster.Now.Nodes[1].Healthy = false
	h.Want("ROLE", []any{"master", 42, []any{[]string{"10.0.0.3", "6379", "40"}}})
	cluster.Epochs = []uint64{0}
	h.Want("ROLE", []any{"slave", "10.0.0.1", 6379, "connect", 42}) // its epoch has ended

	cluster.Now = servertest.View(3, 0, 1)
	h.Want("ROLE", []any{"slave", "10.0.0.2", 6379, "connected", 42})
	cluster.Now.State = topology.Down
	h.Want("ROLE", []any{"slave", "10.0.0.2", 6379, "connect", 42})
	cluster.Now.State = topology.Joining
	h.Want("ROLE", []any{"slave", "10.0.0.2", 6379, "connect", 42})
	cluster.Now = servertest.View(3, 0, -1)
	h.Want("ROLE", []any{"slave", "", 0, "connect", 42})
}

// A client that speaks TLS gets the ports for TLS, in ROLE and in INFO.
func TestRolesForTLS(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 0)
	encrypted := h.NewClient(t)
	encrypted.TLS = true
	cluster.Now.Nodes[1].TLSPort = 6380
	h.Want("ROLE", []any{"master", 42, []any{[]string{"10.0.0.2", "6379", "40"}, []string{"10.0.0.3", "6379", "40"}}})
	encrypted.Want("ROLE", []any{"master", 42, []any{[]string{"10.0.0.2", "6380", "40"}, []string{"10.0.0.3", "6379", "40"}}})
	require.Contains(t, h.InfoText("replication"), "slave0:ip=10.0.0.2,port=6379,")
	require.Contains(t, encrypted.InfoText("replication"), "slave0:ip=10.0.0.2,port=6380,")

	cluster.Now, cluster.Epochs = servertest.View(3, 0, 1), []uint64{0}
	cluster.Now.Nodes[1].TLSPort = 6380
	h.Want("ROLE", []any{"slave", "10.0.0.2", 6379, "connected", 42})
	encrypted.Want("ROLE", []any{"slave", "10.0.0.2", 6380, "connected", 42})
	require.Equal(t, "6379", h.Info("replication")["master_port"])
	require.Equal(t, "6380", encrypted.Info("replication")["master_port"])
}
