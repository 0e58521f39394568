package commands

import "cellserver/store"

// CLUSTER describes the cluster that this server is: one node that owns every slot, so
// that cluster clients work. Without cluster-enabled it answers as Redis does.
var _ = register(&Command{
	Name: "cluster", Arity: -2, Group: Cluster, Since: "3.0.0",
	Summary: "A container for cluster commands", Complexity: "Depends on subcommand.",
	Subs: []*Command{
		{Name: "info", Arity: 2, Flags: Stale, Since: "3.0.0", Tips: nondeterministicOutput, Run: clustered(clusterInfo),
			Summary: "Provides info about Redis Cluster node state", Complexity: "O(1)",
			Help: []string{"INFO", "    Return information about the cluster."}},
		{Name: "nodes", Arity: 2, Flags: Stale, Since: "3.0.0", Tips: nondeterministicOutput, Run: clustered(clusterNodes),
			Summary: "Get Cluster config for the node", Complexity: "O(N) where N is the total number of Cluster nodes",
			Help: []string{"NODES", "    Return cluster configuration seen by node. Output format:",
				"    <id> <ip:port> <flags> <master> <pings> <pongs> <epoch> <link> <slot> ..."}},
		{Name: "slots", Arity: 2, Flags: Stale, Since: "3.0.0", Tips: nondeterministicOutput, Run: clustered(clusterSlots),
			Deprecated: deprecation{"7.0.0", "`CLUSTER SHARDS`"},
			Summary:    "Get array of Cluster slot to node mappings", Complexity: "O(N) where N is the total number of Cluster nodes",
			Help: []string{"SLOTS", "    Return information about slots range mappings. Each range is made of:",
				"    start, end, master and replicas IP addresses, ports and ids"}},
		{Name: "shards", Arity: 2, Flags: Stale, Since: "7.0.0", Tips: nondeterministicOutput, Run: clustered(clusterShards),
			Summary: "Get array of cluster slots to node mappings", Complexity: "O(N) where N is the total number of cluster nodes",
			Help: []string{"SHARDS", "    Return information about slot range mappings and the nodes associated with them."}},
		{Name: "links", Arity: 2, Flags: Stale, Since: "7.0.0", Tips: nondeterministicOutput, Run: clustered(clusterLinks),
			Summary: "Returns a list of all TCP links to and from peer nodes in cluster", Complexity: "O(N) where N is the total number of Cluster nodes",
			Help: []string{"LINKS", "    Return information about all network links between this node and its peers.",
				"    Output format is an array where each array element is a map containing attributes of a link"}},
		{Name: "myid", Arity: 2, Flags: Stale, Since: "3.0.0", Run: clustered(clusterMyID),
			Summary: "Return the node id", Complexity: "O(1)",
			Help: []string{"MYID", "    Return the node id."}},
		{Name: "replicas", Arity: 3, Flags: Admin | Stale, Since: "5.0.0", Tips: nondeterministicOutput, Run: clustered(clusterReplicas), Usage: "node-id",
			Summary: "List replica nodes of the specified master node", Complexity: "O(1)",
			Help: []string{"REPLICAS <node-id>", "    Return <node-id> replicas."}},
		{Name: "slaves", Arity: 3, Flags: Admin | Stale, Since: "3.0.0", Tips: nondeterministicOutput, Run: clustered(clusterReplicas), Usage: "node-id",
			Deprecated: deprecation{"5.0.0", "`CLUSTER REPLICAS`"},
			Summary:    "List replica nodes of the specified master node", Complexity: "O(1)"},
		{Name: "keyslot", Arity: 3, Flags: Stale, Since: "3.0.0", Run: clustered(clusterKeySlot), Usage: "key",
			Summary: "Returns the hash slot of the specified key", Complexity: "O(N) where N is the number of bytes in the key",
			Help: []string{"KEYSLOT <key>", "    Return the hash slot for <key>."}},
		{Name: "countkeysinslot", Arity: 3, Flags: Stale, Since: "3.0.0", Run: clustered(clusterCountKeys), Footprint: slotFootprint, Usage: "slot",
			Summary: "Return the number of local keys in the specified hash slot", Complexity: "O(1)",
			Help: []string{"COUNTKEYSINSLOT <slot>", "    Return the number of keys in <slot>."}},
		{Name: "getkeysinslot", Arity: 4, Flags: Stale, Since: "3.0.0", Tips: nondeterministicOutput, Run: clustered(clusterGetKeys), Footprint: slotFootprint, Usage: "slot count",
			Summary: "Return local key names in the specified hash slot", Complexity: "O(log(N)) where N is the number of requested keys",
			Help: []string{"GETKEYSINSLOT <slot> <count>", "    Return key names stored by current node in a slot."}},
		clusterHelp,
	},
})

var clusterHelp = func() *Command {
	help := helpCommand("5.0.0")
	help.Run = clustered(helpOfParent)
	return help
}()

const errNoCluster Error = "ERR This instance has cluster support disabled"

// clustered makes a command that exists in cluster mode only.
func clustered(run func(*Call) error) func(*Call) error {
	return func(c *Call) error {
		if !c.Server.Config().ClusterEnabled {
			return errNoCluster
		}
		return run(c)
	}
}

// READONLY, READWRITE and ASKING change nothing on a node that owns every slot.
var (
	_ = register(&Command{
		Name: "readonly", Arity: 1, Flags: Loading | Stale | Fast, Group: Cluster, Categories: []string{"connection"}, Since: "3.0.0", Run: clustered(replyOK),
		Summary: "Enables read queries for a connection to a cluster replica node", Complexity: "O(1)",
	})
	_ = register(&Command{
		Name: "readwrite", Arity: 1, Flags: Loading | Stale | Fast, Group: Cluster, Categories: []string{"connection"}, Since: "3.0.0", Run: clustered(replyOK),
		Summary: "Disables read queries for a connection to a cluster replica node", Complexity: "O(1)",
	})
	_ = register(&Command{
		Name: "asking", Arity: 1, Flags: Fast, Group: Cluster, Categories: []string{"connection"}, Since: "3.0.0", Run: clustered(replyOK),
		Summary: "Sent by cluster clients after an -ASK redirect", Complexity: "O(1)",
	})
)

// checkSlots refuses, in cluster mode, a command or a transaction whose keys lie in
// several hash slots.
func (s *Server) checkSlots(call *Call) error {
	if !s.Config().ClusterEnabled {
		return nil
	}
	slot, mixed := -1, false
	note := func(key []byte) {
		k := int(store.Slot(key))
		mixed = mixed || slot >= 0 && k != slot
		slot = k
	}
	call.Cmd.eachKey(call.Args, note)
	if m := &call.Client.multi; m.active && call.Cmd.Name == "exec" {
		for _, q := range m.queued {
			q.cmd.eachKey(q.args, note)
		}
	}
	if mixed {
		return errCrossSlot
	}
	return nil
}
