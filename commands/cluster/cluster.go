package cluster

import (
	"slices"

	"cellserver/commands"
)

// CLUSTER describes the cluster as this node sees it, in the formats of Redis. Without cluster-enabled,
// it is an error as in Redis.
var _ = commands.Register(&commands.Command{
	Name: "cluster", Arity: -2, Group: commands.GroupCluster,
	Subs: slices.Concat([]*commands.Command{
		{
			Name: "info", Arity: 2, Flags: commands.Stale, Tips: commands.NondeterministicOutput,
			Run: clusterOnly(clusterInfo),
		},
		{
			Name: "nodes", Arity: 2, Flags: commands.Stale, Tips: commands.NondeterministicOutput,
			Run: clusterOnly(withLeader(clusterNodes)),
		},
		{
			Name: "slots", Arity: 2, Flags: commands.Stale, Tips: commands.NondeterministicOutput,
			Run: clusterOnly(withLeader(clusterSlots)),
		},
		{
			Name: "shards", Arity: 2, Flags: commands.Stale, Tips: commands.NondeterministicOutput,
			Run: clusterOnly(withLeader(clusterShards)),
		},
		{
			Name: "links", Arity: 2, Flags: commands.Stale, Tips: commands.NondeterministicOutput,
			Run: clusterOnly(clusterLinks),
		},
		{Name: "myid", Arity: 2, Flags: commands.Stale, Run: clusterOnly(clusterMyID)},
		{
			Name: "replicas", Arity: 3, Flags: commands.Admin | commands.Stale,
			Tips: commands.NondeterministicOutput, Run: clusterOnly(clusterReplicas),
		},
		{
			Name: "slaves", Arity: 3, Flags: commands.Admin | commands.Stale,
			Tips: commands.NondeterministicOutput, Run: clusterOnly(clusterReplicas),
		},
		{Name: "keyslot", Arity: 3, Flags: commands.Stale, Run: clusterOnly(clusterKeySlot)},
		{
			Name: "countkeysinslot", Arity: 3, Flags: commands.Stale, Run: clusterOnly(clusterCountKeys),
			Footprint: slotFootprint,
		},
		{
			Name: "getkeysinslot", Arity: 4, Flags: commands.Stale, Tips: commands.NondeterministicOutput,
			Run: clusterOnly(clusterGetKeys), Footprint: slotFootprint,
		},
		{
			Name: "count-failure-reports", Arity: 3, Flags: commands.Admin | commands.Stale,
			Tips: commands.NondeterministicOutput, Run: clusterOnly(clusterFailureReports),
		},
	}, memberCommands, refusedCommands, []*commands.Command{
		{
			Name: "help", Arity: 2, Flags: commands.Loading | commands.Stale,
			Run: clusterOnly(commands.HelpOfParent),
		},
	}),
})

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
		Name: "readonly", Arity: 1, Flags: commands.Loading | commands.Stale | commands.Fast,
		Group: commands.GroupCluster, Categories: []string{"connection"}, Run: clusterOnly(letRead(true)),
	})
	_ = commands.Register(&commands.Command{
		Name: "readwrite", Arity: 1, Flags: commands.Loading | commands.Stale | commands.Fast,
		Group: commands.GroupCluster, Categories: []string{"connection"}, Run: clusterOnly(letRead(false)),
	})
	_ = commands.Register(&commands.Command{
		Name: "asking", Arity: 1, Flags: commands.Fast, Group: commands.GroupCluster,
		Categories: []string{"connection"}, Run: clusterOnly(commands.ReplyOK),
	})
)

// letRead returns a command that lets the connection read on followers, or ends that.
func letRead(on bool) func(*commands.Call) error {
	return func(c *commands.Call) error {
		c.Conn.Modes.ReadOnly = on
		return commands.ReplyOK(c)
	}
}
