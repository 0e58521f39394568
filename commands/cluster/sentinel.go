package cluster

import (
	"fmt"
	"strconv"

	"cellserver/commands"
	"cellserver/internal/topology"
)

// SENTINEL answers clients in Sentinel mode. Every node of a cluster is a sentinel for them: the
// leader is the master with the name sentinel-master-name, and the others are its replicas. Clients
// learn of a new leader by the message +switch-master. Without cluster-enabled, SENTINEL is an unknown
// command, as on a Redis that is not a sentinel.
//
// A node does not measure what a sentinel measures. So times since the last ping or the last INFO
// are 0.
var _ = commands.Register(&commands.Command{
	Name: "sentinel", Arity: -2, Flags: commands.Admin, Group: commands.GroupCluster,
	Subs: []*commands.Command{
		{
			Name: "get-master-addr-by-name", Arity: 3, Flags: commands.AdminFlags,
			Run: asSentinel(sentinelAddr),
		},
		{Name: "masters", Arity: 2, Flags: commands.AdminFlags, Run: asSentinel(sentinelMasters)},
		{Name: "master", Arity: 3, Flags: commands.AdminFlags, Run: asSentinel(named(sentinelMaster))},
		{Name: "replicas", Arity: 3, Flags: commands.AdminFlags, Run: asSentinel(named(sentinelReplicas))},
		{Name: "slaves", Arity: 3, Flags: commands.AdminFlags, Run: asSentinel(named(sentinelReplicas))},
		{
			Name: "sentinels", Arity: 3, Flags: commands.AdminFlags,
			Run: asSentinel(named(sentinelSentinels)),
		},
		{Name: "ckquorum", Arity: 3, Flags: commands.AdminFlags, Run: asSentinel(named(sentinelQuorum))},
		{Name: "myid", Arity: 2, Flags: commands.AdminFlags, Run: asSentinel(sentinelMyID)},
		{Name: "help", Arity: 2, Flags: commands.Loading | commands.Stale, Run: asSentinel(sentinelHelp)},
	},
})

func sentinelHelp(c *commands.Call, _ *topology.View) error { return commands.HelpOfParent(c) }

// asSentinel makes a command an unknown one without cluster-enabled.
func asSentinel(run func(*commands.Call, *topology.View) error) func(*commands.Call) error {
	return func(c *commands.Call) error {
		if !c.Server.Config().ClusterEnabled {
			return commands.UnknownCommand(c.Args)
		}
		return run(c, viewOf(c))
	}
}

const errNoMaster commands.Error = "ERR No such master with that name"

// named makes a command an error unless argument 2 is the name of the leader, and there has been one.
func named(run func(*commands.Call, *topology.View) error) func(*commands.Call, *topology.View) error {
	return func(c *commands.Call, v *topology.View) error {
		if !isMaster(c, v) {
			return errNoMaster
		}
		return run(c, v)
	}
}

// isMaster reports whether argument 2 is the name of the leader. A leader whose ports are not known yet has
// no name: the client asks again, or asks another node.
func isMaster(c *commands.Call, v *topology.View) bool {
	leader := v.LeaderOf(0)
	name := c.Server.Config().Cluster.SentinelMasterName
	return leader >= 0 && !v.Nodes[leader].Unheard && string(c.Args[2]) == name
}

// sentinelAddr replies with the address of the leader; during an election, of the last leader.
func sentinelAddr(c *commands.Call, v *topology.View) error {
	if !isMaster(c, v) {
		c.Out.NullArray()
		return nil
	}
	n := &v.Nodes[v.LeaderOf(0)]
	commands.StringArray(c.Out, []string{n.Host, strconv.Itoa(sentinelPort(c, n))})
	return nil
}

func sentinelMyID(c *commands.Call, v *topology.View) error {
	c.Out.BulkString(v.Nodes[v.Self].ID)
	return nil
}

// sentinelMasters lists the leader. Before the first election the list is empty.
func sentinelMasters(c *commands.Call, v *topology.View) error {
	if leader := v.LeaderOf(0); leader < 0 || v.Nodes[leader].Unheard {
		c.Out.Array(0)
		return nil
	}
	c.Out.Array(1)
	return sentinelMaster(c, v)
}

func sentinelMaster(c *commands.Call, v *topology.View) error {
	leader, name, flags := v.LeaderOf(0), c.Server.Config().Cluster.SentinelMasterName, "master"
	if leaderless(v) {
		flags = "s_down,o_down,master"
	}
	f := instance(c, name, &v.Nodes[leader], flags)
	f.add("info-refresh", 0)
	f.add("role-reported", "master")
	f.add("role-reported-time", 0)
	f.add("config-epoch", v.Groups[0].Term)
	f.add("num-slaves", len(v.Groups[0].Replicas))
	f.add("num-other-sentinels", len(v.Nodes)-1)
	f.add("quorum", quorum(v))
	f.add("failover-timeout", c.Server.Config().Cluster.NodeTimeout)
	f.add("parallel-syncs", 1)
	f.reply(c)
	return nil
}

// quorum returns the number of votes that elect a leader.
func quorum(v *topology.View) int { return v.Voters()/2 + 1 }

// sentinelReplicas lists the nodes that follow the leader. A node without all data is disconnected.
func sentinelReplicas(c *commands.Call, v *topology.View) error {
	leader, replicas := &v.Nodes[v.LeaderOf(0)], v.Groups[0].Replicas
	c.Out.Array(len(replicas))
	for _, r := range replicas {
		n, link := &v.Nodes[r], "ok"
		if leaderless(v) || !serves(n) {
			link = "err"
		}
		name := fmt.Sprintf("%s:%d", n.Host, sentinelPort(c, n))
		f := instance(c, name, n, sentinelFlags("slave", n, n.Voter))
		f.add("info-refresh", 0)
		f.add("role-reported", "slave")
		f.add("role-reported-time", 0)
		f.add("master-link-down-time", 0)
		f.add("master-link-status", link)
		f.add("master-host", leader.Host)
		f.add("master-port", sentinelPort(c, leader))
		f.add("slave-priority", 100)
		f.add("slave-repl-offset", v.Applied(r))
		f.add("replica-announced", 1)
		f.reply(c)
	}
	return nil
}

// sentinelSentinels lists the other nodes.
func sentinelSentinels(c *commands.Call, v *topology.View) error {
	c.Out.Array(len(v.Nodes) - 1)
	for i := range v.Nodes {
		if i == v.Self {
			continue
		}
		n := &v.Nodes[i]
		f := instance(c, n.ID, n, sentinelFlags("sentinel", n, true))
		f.add("last-hello-message", 0)
		f.add("voted-leader", v.Nodes[v.LeaderOf(0)].ID)
		f.add("voted-leader-epoch", v.Groups[0].Term)
		f.reply(c)
	}
	return nil
}

// sentinelQuorum says whether enough nodes are healthy to elect a leader.
func sentinelQuorum(c *commands.Call, v *topology.View) error {
	usable := v.HealthyVoters()
	if usable < quorum(v) {
		return commands.Error(fmt.Sprintf("NOQUORUM %d usable Sentinels. Not enough available "+
			"Sentinels to reach the specified quorum for this master. "+
			"Not enough available Sentinels to reach the majority and authorize a failover", usable))
	}
	c.Out.Simple(fmt.Sprintf("OK %d usable Sentinels. Quorum and failover authorization can be reached",
		usable))
	return nil
}

// sentinelFlags returns the flags of a node in the words of SENTINEL.
func sentinelFlags(kind string, n *topology.Node, connected bool) string {
	switch {
	case !n.Healthy:
		return "s_down," + kind + ",disconnected"
	case !connected:
		return kind + ",disconnected"
	}
	return kind
}

// sentinelPort returns the port of a node for clients in Sentinel mode: with TLS or without. There they need
// not know slots.
func sentinelPort(c *commands.Call, n *topology.Node) int {
	return n.ClientPort(topology.Door{TLS: c.Conn.Link.Peer.Encrypted(), Whole: true})
}

// facts are the names and values that describe a node, in their order.
type facts []string

func (f *facts) add(name string, value any) { *f = append(*f, name, fmt.Sprint(value)) }

// instance returns the facts that SENTINEL shows of every node.
func instance(c *commands.Call, name string, n *topology.Node, flags string) *facts {
	f := new(facts)
	f.add("name", name)
	f.add("ip", n.Host)
	f.add("port", sentinelPort(c, n))
	f.add("runid", n.ID)
	f.add("flags", flags)
	f.add("link-pending-commands", 0)
	f.add("link-refcount", 1)
	f.add("last-ping-sent", 0)
	f.add("last-ok-ping-reply", 0)
	f.add("last-ping-reply", 0)
	f.add("down-after-milliseconds", c.Server.Config().Cluster.NodeTimeout)
	return f
}

// reply writes the facts as a map.
func (f *facts) reply(c *commands.Call) {
	c.Out.Map(len(*f) / 2)
	for _, word := range *f {
		c.Out.BulkString(word)
	}
}
