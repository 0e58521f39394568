package server

import (
	"fmt"

	"cellserver/commands"
	"cellserver/internal/topology"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// The errors of a node that does not lead. They have the texts of Redis, because clients parse them.
const (
	errClusterDown commands.Error = "CLUSTERDOWN The cluster is down"
	errMasterDown  commands.Error = "MASTERDOWN Link with MASTER is down and " +
		"replica-serve-stale-data is set to 'no'."
)

// errMoved tells a cluster client which node leads the slot of a command. A client that speaks TLS gets the
// port for TLS.
func errMoved(slot uint16, n *topology.Node, door topology.Door) error {
	return commands.Error(fmt.Sprintf("MOVED %d %s:%d", slot, n.Host, n.ClientPort(door)))
}

// hasOneKey reports whether a command has one key, whatever its arguments are.
func hasOneKey(cmd *commands.Command) bool {
	k := &cmd.Keys
	return k.First > 0 && k.First == k.Last && k.NumKeys == 0
}

// slotOf returns the slot of all keys of a command or of a transaction, -1 if there are no keys. Channels of
// shards must have the same slot.
func slotOf(call *commands.Call) (slot int, err error) {
	slot = -1
	all := slot // of keys and channels
	channel := func(name []byte) {
		k := int(store.Slot(name))
		if all >= 0 && k != all {
			err = commands.ErrCrossSlot
		}
		all = k
	}
	key := func(name []byte) {
		channel(name)
		slot = all
	}
	note := func(cmd *commands.Command, args [][]byte) {
		cmd.EachKey(args, key)
		cmd.EachShard(args, channel)
	}
	note(call.Cmd, call.Args)
	if q := &call.Conn.Transaction.Queue; q.Active && call.Cmd.Name == "exec" {
		for _, queued := range q.Commands {
			note(queued.Cmd, queued.Args)
		}
	}
	return slot, err
}

// usesKeys reports whether a command reads or changes the keyspace. UNWATCH, DISCARD and RESET do
// not, although they lock the partitions of watched keys. Commands that run while the server loads
// its keys use keys only if their flags or their arguments say so.
func usesKeys(call *commands.Call) bool {
	cmd := call.Cmd
	const onKeys = commands.Write | commands.ReadOnly
	if call.EffectiveFlags()&onKeys != 0 || cmd.Flags&commands.Loading == 0 && cmd.Footprint != nil {
		return true
	}
	slot, _ := slotOf(call)
	return slot >= 0
}

// elsewhere returns the error of a command that a node without an epoch must not run. slot is -1 for a
// command without keys. As a replica of Redis Cluster, a node that follows runs these commands:
//   - commands that do not use the keyspace
//   - reads of a READONLY client, while the keys are fresh
//   - reads without keys, while the keys are fresh: SCAN, KEYS, DBSIZE, RANDOMKEY
//
// A write without keys, such as FLUSHALL, is the error READONLY. All others are MOVED. To a client that does
// not know slots the node is a replica of a Redis without a cluster: it reads, and writes are READONLY. Three
// answers differ from Redis:
//   - READONLY clients also read while the cluster is down, as long as the keys are fresh.
//   - CL.RULE SET and DEL have no keys for a client. They move to the slot of the rules. So does
//     CL.RULE TRY, because only the leader knows the requests, and REPLICAOF.
//   - A node that the view calls the leader, but that has no epoch, runs nothing: changes that it
//     made before may be taken back.
func elsewhere(v *topology.View, now int64, call *commands.Call, slot int) error {
	if !usesKeys(call) {
		return nil
	}
	writes := call.EffectiveFlags()&commands.Write != 0
	if slot < 0 && forLeader(call.Cmd, writes) {
		writes, slot = true, int(ruleset.Slot())
	}
	leader := v.LeaderOf(uint16(max(slot, 0)))
	switch {
	case v.State == topology.Joining:
		return errLoading
	case call.Conn.Link.Whole && writes:
		return errReadOnly
	case call.Conn.Link.Whole && (leader == v.Self || v.Fresh != 0 && now > v.Fresh):
		return errMasterDown
	case call.Conn.Link.Whole:
		return tooOld(v, now)
	case leader == v.Self:
		return errClusterDown
	case slot < 0 && writes:
		return errReadOnly
	case slot < 0 || !writes && call.Conn.Modes.ReadOnly:
		return tooOld(v, now)
	case v.State == topology.Down || leader < 0:
		return errClusterDown
	}
	to, door := &v.Nodes[leader], call.Conn.Link.Door()
	if to.ClientPort(door) == 0 {
		return errClusterDown // it leads, and its address for clients is not applied here yet
	}
	return errMoved(uint16(slot), to, door)
}

// forLeader reports whether the leader alone runs a command without keys.
func forLeader(cmd *commands.Command, writes bool) bool {
	switch cmd.FullName() {
	case "cl.rule|try", "replicaof", "slaveof":
		return true
	}
	return writes && cmd.Group == commands.GroupLimiter
}

// tooOld returns an error if the keys of a node that follows are too old to read, or if the node has not
// caught up.
func tooOld(v *topology.View, now int64) error {
	switch {
	case v.Fresh == 0:
		return errLoading
	case now > v.Fresh:
		return errClusterDown
	}
	return nil
}
