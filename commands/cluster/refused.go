package cluster

import (
	"slices"

	"cellserver/commands"
)

// The subcommands of CLUSTER by which Redis's tools move slots and replicas. Here the nodes elect who
// leads, and every node has all keys. So each of these subcommands is an error that names the right
// one.
var refusedCommands = slices.Concat(
	refused("the leader serves all slots: use CLUSTER MEET to add a node, CLUSTER FAILOVER to choose the leader",
		&commands.Command{Name: "addslots", Arity: -3},
		&commands.Command{Name: "addslotsrange", Arity: -4},
		&commands.Command{Name: "delslots", Arity: -3},
		&commands.Command{Name: "delslotsrange", Arity: -4},
		&commands.Command{Name: "flushslots", Arity: 2},
		&commands.Command{Name: "setslot", Arity: -4},
	),
	refused("every node but the leader is a replica: use CLUSTER FAILOVER on the node that should lead",
		&commands.Command{Name: "replicate", Arity: 3},
	),
	refused("the epoch is the term of the leader, which each election sets: use "+
		"CLUSTER FAILOVER to begin a new one",
		&commands.Command{Name: "bumpepoch", Arity: 2, Tips: commands.NondeterministicOutput},
		&commands.Command{Name: "set-config-epoch", Arity: 3},
	),
	refused("a node does not leave on its own: use CLUSTER FORGET on another node, then stop this one "+
		"and empty its directory",
		&commands.Command{
			Name: "reset", Arity: -2, Flags: commands.Admin | commands.Stale | commands.NoScript,
		},
	),
)

// refused makes commands errors that say what to use instead.
func refused(instead string, rows ...*commands.Command) []*commands.Command {
	for _, row := range rows {
		if row.Flags == 0 {
			row.Flags = commands.Admin | commands.Stale | commands.NoAsyncLoading
		}
		row.Run = func(c *commands.Call) error { // not by clusterOnly: the reference links to the file of Run
			if !c.HasSlots() {
				return errNoCluster
			}
			return commands.Error("ERR " + instead)
		}
	}
	return rows
}
