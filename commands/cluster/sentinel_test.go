package cluster

import (
	"testing"

	"cellserver/commands"
	"cellserver/internal/topology"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestSentinelAddress(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	h.Want("SENTINEL get-master-addr-by-name mymaster", []string{"10.0.0.2", "6379"})
	h.Want("SENTINEL GET-MASTER-ADDR-BY-NAME other", resptest.NilArray)
	h.Want("SENTINEL MYID", nodeA)
	h.Want("CONFIG SET sentinel-master-name limits", ok)
	h.Want("SENTINEL GET-MASTER-ADDR-BY-NAME mymaster", resptest.NilArray)
	cluster.Now.Nodes[1].Sentinel = topology.Ports{Plain: 26379}
	h.Want("SENTINEL GET-MASTER-ADDR-BY-NAME limits", []string{"10.0.0.2", "26379"})
	cluster.Now.Nodes[1].Unheard = true // its port may be another one
	h.Want("SENTINEL GET-MASTER-ADDR-BY-NAME limits", resptest.NilArray)
	h.Want("SENTINEL MASTERS", []any{})
	cluster.Now.Nodes[1].Unheard, cluster.Now.Nodes[1].Sentinel = false, topology.Ports{}
	cluster.Now.State, cluster.Now.Nodes[1].Healthy = topology.Down, false
	h.Want("SENTINEL GET-MASTER-ADDR-BY-NAME limits", []string{"10.0.0.2", "6379"})
	cluster.Now.Groups[0].Leader = -1
	h.Want("SENTINEL GET-MASTER-ADDR-BY-NAME limits", resptest.NilArray)
	h.Want("SENTINEL MASTERS", []any{})
	h.Want("SENTINEL MASTER limits", errNoMaster)
}

// wantFacts requires the facts of a reply. The other numbers, which no node measures, are 0.
func wantFacts(t *testing.T, reply any, want map[string]string) {
	t.Helper()
	for name, value := range factsOf(reply) {
		if expected, named := want[name]; named {
			require.Equal(t, expected, value, name)
			delete(want, name)
			continue
		}
		require.Contains(t, []string{"link-pending-commands", "last-ping-sent", "last-ok-ping-reply", "last-ping-reply", "info-refresh", "role-reported-time",
			"master-link-down-time", "last-hello-message"}, name)
		require.Equal(t, "0", value, name)
	}
	require.Empty(t, want, "the reply lacks them")
}

// TestSentinelFacts compares the facts with those that a sentinel of Redis 7.0 shows.
func TestSentinelFacts(t *testing.T) {
	for _, proto := range []string{"2", "3"} {
		h, cluster := servertest.NewMember(t, 0, 1, "--cluster-node-timeout", "700")
		cluster.Now.Nodes[2].Healthy = false
		h.Do("HELLO " + proto)
		master := map[string]string{
			"name": "mymaster", "ip": "10.0.0.2", "port": "6379", "runid": nodeB, "flags": "master", "link-refcount": "1", "down-after-milliseconds": "700",
			"role-reported": "master", "config-epoch": "7", "num-slaves": "2", "num-other-sentinels": "2", "quorum": "2", "failover-timeout": "700", "parallel-syncs": "1",
		}
		masters := h.Do("SENTINEL MASTERS").([]any)
		require.Len(t, masters, 1)
		require.Equal(t, masters[0], h.Do("SENTINEL MASTER mymaster"))
		wantFacts(t, masters[0], master)

		replicas := h.Do("SENTINEL REPLICAS mymaster").([]any)
		require.Equal(t, replicas, h.Do("SENTINEL SLAVES mymaster"))
		require.Len(t, replicas, 2)
		wantFacts(t, replicas[0], map[string]string{
			"name": "10.0.0.1:6379", "ip": "10.0.0.1", "port": "6379", "runid": nodeA, "flags": "slave", "link-refcount": "1", "down-after-milliseconds": "700",
			"role-reported": "slave", "master-link-status": "ok", "master-host": "10.0.0.2", "master-port": "6379", "slave-priority": "100",
			"slave-repl-offset": "42", "replica-announced": "1",
		})
		wantFacts(t, replicas[1], map[string]string{
			"name": "10.0.0.3:6379", "ip": "10.0.0.3", "port": "6379", "runid": nodeC, "flags": "s_down,slave,disconnected", "link-refcount": "1",
			"down-after-milliseconds": "700", "role-reported": "slave", "master-link-status": "err", "master-host": "10.0.0.2", "master-port": "6379",
			"slave-priority": "100", "slave-repl-offset": "40", "replica-announced": "1",
		})

		sentinels := h.Do("SENTINEL SENTINELS mymaster").([]any)
		require.Len(t, sentinels, 2)
		wantFacts(t, sentinels[0], map[string]string{
			"name": nodeB, "ip": "10.0.0.2", "port": "6379", "runid": nodeB, "flags": "sentinel", "link-refcount": "1", "down-after-milliseconds": "700",
			"voted-leader": nodeB, "voted-leader-epoch": "7",
		})
		require.Equal(t, "s_down,sentinel,disconnected", factsOf(sentinels[1])["flags"])
	}
}

func TestSentinelFlags(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	flags := func(line string) any {
		reply := h.Do(line)
		if all, ok := reply.([]any); ok {
			if _, nested := all[0].([]any); nested {
				reply = all[len(all)-1]
			}
		}
		return factsOf(reply)["flags"]
	}
	cluster.Now.Nodes[2].Voter = false
	require.Equal(t, "slave,disconnected", flags("SENTINEL REPLICAS mymaster"))
	cluster.Now.State = topology.Down
	require.Equal(t, "s_down,o_down,master", flags("SENTINEL MASTER mymaster"))
	cluster.Now.State, cluster.Now.Nodes[1].Healthy = topology.OK, false
	require.Equal(t, "s_down,o_down,master", flags("SENTINEL MASTERS"))
}

func TestSentinelQuorum(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	h.Want("SENTINEL CKQUORUM mymaster", resptest.Simple("OK 3 usable Sentinels. Quorum and failover authorization can be reached"))
	cluster.Now.Nodes[1].Healthy = false
	h.Want("SENTINEL CKQUORUM mymaster", resptest.Simple("OK 2 usable Sentinels. Quorum and failover authorization can be reached"))
	cluster.Now.Nodes[2].Healthy = false
	h.Want("SENTINEL CKQUORUM mymaster", commands.Error("NOQUORUM 1 usable Sentinels. Not enough available Sentinels to reach the specified quorum for this master. "+
		"Not enough available Sentinels to reach the majority and authorize a failover"))
	for _, command := range []string{"MASTER", "REPLICAS", "SLAVES", "SENTINELS", "CKQUORUM"} {
		h.Want("SENTINEL "+command+" other", errNoMaster)
	}
}

func TestSentinelAlone(t *testing.T) {
	h := servertest.New(t)
	h.Want("SENTINEL MASTERS", commands.Error("ERR unknown command 'SENTINEL', with args beginning with: 'MASTERS' "))
	h.Want("SENTINEL HELP", commands.Error("ERR unknown command 'SENTINEL', with args beginning with: 'HELP' "))

	h = servertest.New(t, "--cluster-enabled", "yes")
	h.Want("SENTINEL GET-MASTER-ADDR-BY-NAME mymaster", []string{"127.0.0.1", "6379"})
	h.Want("SENTINEL MYID", servertest.RunID)
	h.Want("SENTINEL REPLICAS mymaster", []any{})
	h.Want("SENTINEL SENTINELS mymaster", []any{})
	require.Equal(t, "master", factsOf(h.Do("SENTINEL MASTER mymaster"))["flags"])
	h.Want("SENTINEL CKQUORUM mymaster", resptest.Simple("OK 1 usable Sentinels. Quorum and failover authorization can be reached"))
	require.Contains(t, h.Do("SENTINEL HELP"), resptest.Simple("CKQUORUM <master-name>"))
	h.Want("SENTINEL FOO", commands.Error("ERR unknown subcommand 'FOO'. Try SENTINEL HELP."))
}

// TestSentinelBeforeAuth: with sentinel-auth no, a client without a password learns who leads, and no more.
func TestSentinelBeforeAuth(t *testing.T) {
	h, _ := servertest.NewMember(t, 0, 1, "--requirepass", "secret")
	noAuth := commands.ErrNoAuth
	h.Want("AUTH secret", ok)
	c := h.NewClient(t)
	for _, line := range []string{
		"SENTINEL get-master-addr-by-name mymaster", "SENTINEL MASTERS", "PING", "SUBSCRIBE +switch-master",
	} {
		c.Want(line, noAuth)
	}
	h.Want("CONFIG SET sentinel-auth no", ok)
	c.Want("SENTINEL get-master-addr-by-name mymaster", []string{"10.0.0.2", "6379"})
	c.Want("PING", resptest.Simple("PONG"))
	for _, line := range []string{
		"GET k", "INFO", "CLUSTER SLOTS", "SENTINEL", "MULTI", "PUBLISH +switch-master x", "SUBSCRIBE other", "CONFIG GET *",
		"SUBSCRIBE +switch-master other", "PSUBSCRIBE *", "EVAL return(1) 0",
	} {
		require.IsType(t, resptest.Error(""), c.Do(line), line)
	}
	c.Want("SUBSCRIBE +switch-master", []any{"subscribe", "+switch-master", 1})
	h.Want("CONFIG SET sentinel-auth yes", ok)
	h.NewClient(t).Want("SENTINEL MASTERS", noAuth)
}
