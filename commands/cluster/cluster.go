package cluster

import (
	"slices"

	"cellserver/commands"
)

// CLUSTER describes the cluster as this node sees it, in the formats of Redis. Without cluster-enabled,
// it is an error as in Redis.
var _ = commands.Register(&commands.Command{
	Name: "cluster", Arity: -2, Group: commands.GroupCluster, Since: "3.0.0",
	Summary: "A container for cluster commands", Complexity: "Depends on subcommand.",
	Subs: slices.Concat([]*commands.Command{
		{Name: "info", Arity: 2, Flags: commands.Stale, Since: "3.0.0", Tips: commands.NondeterministicOutput, Run: clusterOnly(clusterInfo),
			Summary: "Provides info about Redis Cluster node state", Complexity: "O(1)",
			Help: []string{"INFO", "    Return information about the cluster."}},
		{Name: "nodes", Arity: 2, Flags: commands.Stale, Since: "3.0.0", Tips: commands.NondeterministicOutput, Run: clusterOnly(withLeader(clusterNodes)),
			Summary: "Get Cluster config for the node", Complexity: "O(N) where N is the total number of Cluster nodes",
			Help: []string{"NODES", "    Return cluster configuration seen by node. Output format:",
				"    <id> <ip:port> <flags> <master> <pings> <pongs> <epoch> <link> <slot> ..."}},
		{Name: "slots", Arity: 2, Flags: commands.Stale, Since: "3.0.0", Tips: commands.NondeterministicOutput, Run: clusterOnly(withLeader(clusterSlots)),
			Deprecated: commands.Deprecation{Since: "7.0.0", By: "`CLUSTER SHARDS`"},
			Summary:    "Get array of Cluster slot to node mappings", Complexity: "O(N) where N is the total number of Cluster nodes",
			Help: []string{"SLOTS", "    Return information about slots range mappings. Each range is made of:",
				"    start, end, master and replicas IP addresses, ports and ids"}},
		{Name: "shards", Arity: 2, Flags: commands.Stale, Since: "7.0.0", Tips: commands.NondeterministicOutput, Run: clusterOnly(withLeader(clusterShards)),
			Summary: "Get array of cluster slots to node mappings", Complexity: "O(N) where N is the total number of cluster nodes",
			Help: []string{"SHARDS", "    Return information about slot range mappings and the nodes associated with them."}},
		{Name: "links", Arity: 2, Flags: commands.Stale, Since: "7.0.0", Tips: commands.NondeterministicOutput, Run: clusterOnly(clusterLinks),
			Summary: "Returns a list of all TCP links to and from peer nodes in cluster", Complexity: "O(N) where N is the total number of Cluster nodes",
			Help: []string{"LINKS", "    Return information about all network links between this node and its peers.",
				"Output format is an array where each array element is a map " +
					"containing attributes of a link"}},
		{Name: "myid", Arity: 2, Flags: commands.Stale, Since: "3.0.0", Run: clusterOnly(clusterMyID),
			Summary: "Return the node id", Complexity: "O(1)",
			Help: []string{"MYID", "    Return the node id."}},
		{Name: "replicas", Arity: 3, Flags: commands.Admin | commands.Stale, Since: "5.0.0", Tips: commands.NondeterministicOutput, Run: clusterOnly(clusterReplicas), Usage: "node-id",
			Summary: "List replica nodes of the specified master node", Complexity: "O(1)",
			Help: []string{"REPLICAS <node-id>", "    Return <node-id> replicas."}},
		{Name: "slaves", Arity: 3, Flags: commands.Admin | commands.Stale, Since: "3.0.0", Tips: commands.NondeterministicOutput, Run: clusterOnly(clusterReplicas), Usage: "node-id",
			Deprecated: commands.Deprecation{Since: "5.0.0", By: "`CLUSTER REPLICAS`"},
			Summary:    "List replica nodes of the specified master node", Complexity: "O(1)"},
		{Name: "keyslot", Arity: 3, Flags: commands.Stale, Since: "3.0.0", Run: clusterOnly(clusterKeySlot), Usage: "key",
			Summary: "Returns the hash slot of the specified key", Complexity: "O(N) where N is the number of bytes in the key",
			Help: []string{"KEYSLOT <key>", "    Return the hash slot for <key>."}},
		{Name: "countkeysinslot", Arity: 3, Flags: commands.Stale, Since: "3.0.0", Run: clusterOnly(clusterCountKeys), Footprint: slotFootprint, Usage: "slot",
			Summary: "Return the number of local keys in the specified hash slot", Complexity: "O(1)",
			Help: []string{"COUNTKEYSINSLOT <slot>", "    Return the number of keys in <slot>."}},
		{Name: "getkeysinslot", Arity: 4, Flags: commands.Stale, Since: "3.0.0", Tips: commands.NondeterministicOutput, Run: clusterOnly(clusterGetKeys), Footprint: slotFootprint, Usage: "slot count",
			Summary: "Return local key names in the specified hash slot", Complexity: "O(log(N)) where N is the number of requested keys",
			Help: []string{"GETKEYSINSLOT <slot> <count>", "    Return key names stored by current node in a slot."}},
		{Name: "count-failure-reports", Arity: 3, Flags: commands.Admin | commands.Stale, Since: "3.0.0", Tips: commands.NondeterministicOutput, Run: clusterOnly(clusterFailureReports), Usage: "node-id",
			Summary: "Return the number of failure reports active for a given node", Complexity: "O(N) where N is the number of failure reports",
			Help: []string{"COUNT-FAILURE-REPORTS <node-id>", "    Return 1 if this node has not heard of <node-id> lately, else 0."}},
	}, memberCommands, refusedCommands, []*commands.Command{clusterHelp}),
})

// clusterHelp is CLUSTER HELP, which also needs cluster-enabled.
var clusterHelp = func() *commands.Command {
	help := commands.HelpCommand("5.0.0")
	help.Run = clusterOnly(commands.HelpOfParent)
	return help
}()

const errNoCluster commands.Error = "ERR This instance has cluster support disabled"

// clusterOnly returns a command that runs only with cluster-enabled, and is an error without it.
func clusterOnly(run func(*commands.Call) error) func(*commands.Call) error {
	return func(c *commands.Call) error {
		if !c.HasSlots() {
			return errNoCluster
		}
		return run(c)
	}
}

// READONLY lets the connection read on nodes that follow the leader, and READWRITE ends that. ASKING changes
// nothing, because slots never move from one node to another.
var (
	_ = commands.Register(&commands.Command{
		Name: "readonly", Arity: 1, Flags: commands.Loading | commands.Stale | commands.Fast, Since: "3.0.0",
		Group: commands.GroupCluster, Categories: []string{"connection"}, Run: clusterOnly(letRead(true)),
		Complexity: "O(1)", Summary: "Enables read queries for a connection to a cluster replica node",
	})
	_ = commands.Register(&commands.Command{
		Name: "readwrite", Arity: 1, Flags: commands.Loading | commands.Stale | commands.Fast, Since: "3.0.0",
		Group: commands.GroupCluster, Categories: []string{"connection"}, Run: clusterOnly(letRead(false)),
		Complexity: "O(1)", Summary: "Disables read queries for a connection to a cluster replica node",
	})
	_ = commands.Register(&commands.Command{
		Name: "asking", Arity: 1, Flags: commands.Fast, Since: "3.0.0",
		Group: commands.GroupCluster, Categories: []string{"connection"}, Run: clusterOnly(commands.ReplyOK),
		Complexity: "O(1)", Summary: "Sent by cluster clients after an -ASK redirect",
	})
)

// letRead returns a command that lets the connection read on followers, or ends that.
func letRead(on bool) func(*commands.Call) error {
	return func(c *commands.Call) error {
		c.Conn.Modes.ReadOnly = on
		return commands.ReplyOK(c)
	}
}
