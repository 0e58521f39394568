package cluster

import (
	"errors"
	"fmt"
	"strings"

	"cellserver/commands"
	"cellserver/internal/topology"
)

// memberFlags are the flags of commands that change the cluster. They wait for other nodes, and
// commands with the flag Admin do not run in the event loop.
const memberFlags = commands.Admin | commands.Stale | commands.NoAsyncLoading

// The subcommands of CLUSTER that change who belongs to the cluster and who leads it.
var memberCommands = []*commands.Command{
	{Name: "meet", Arity: -4, Flags: memberFlags, Run: onMember(clusterMeet)},
	{Name: "forget", Arity: 3, Flags: memberFlags, Run: onMember(clusterForget)},
	{Name: "failover", Arity: -2, Flags: memberFlags, Run: onMember(clusterFailover)},
}

const errAlone commands.Error = "ERR this node is alone: start all nodes of the cluster with the same cluster-nodes"

// onMember makes a command an error on a server that is alone. In a transaction it is an error, too,
// because EXEC would hold its locks while the command waits.
func onMember(run func(*commands.Call, commands.Topology) error) func(*commands.Call) error {
	return func(c *commands.Call) error {
		if !c.HasSlots() {
			return errNoCluster
		}
		t := c.Server.Control.Topology()
		if t == nil {
			return errAlone
		}
		if c.Conn.Transaction.Running {
			return commands.ErrNotInMulti
		}
		if err := run(c, t); err != nil {
			return asReply(err)
		}
		return commands.ReplyOK(c)
	}
}

// asReply gives an error of the cluster the code ERR, unless it has a code.
func asReply(err error) error {
	if reply, is := errors.AsType[commands.Error](err); is {
		return reply
	}
	return commands.Error("ERR " + err.Error())
}

func clusterMeet(c *commands.Call, t commands.Topology) error {
	if len(c.Args) > 5 {
		return c.SubcommandSyntax()
	}
	host := string(c.Args[2])
	port, ok := commands.ParseInt(c.Args[3])
	if !ok {
		return commands.Error(fmt.Sprintf("ERR Invalid TCP base port specified: %s", c.Args[3]))
	}
	bus := int64(0)
	if len(c.Args) == 5 {
		if bus, ok = commands.ParseInt(c.Args[4]); !ok {
			return commands.Error(fmt.Sprintf("ERR Invalid TCP bus port specified: %s", c.Args[4]))
		}
	}
	invalid := fmt.Sprintf("ERR Invalid node address specified: %s:%s", host, c.Args[3])
	switch peer := port + topology.PeerOffset; {
	case host == "" || strings.ContainsFunc(host, inNoHost),
		port <= 0 || port > 65535, bus < 0 || bus > 65535:
		return commands.Error(invalid)
	case bus == 0 && peer > 65535:
		return commands.Error(fmt.Sprintf("%s: its port for nodes would be %d: give that port as a third "+
			"argument",
			invalid, peer))
	case bus == 0:
		bus = peer
	}
	return t.Meet(topology.Address{Host: strings.ToLower(host), Port: int(port), PeerPort: int(bus)})
}

// inNoHost reports whether a letter stands in no host: an address in words separates its parts with it.
func inNoHost(r rune) bool { return r <= ' ' || strings.ContainsRune("[]@", r) }

func clusterForget(c *commands.Call, t commands.Topology) error {
	v, id := t.View(), string(c.Args[2])
	switch i := v.Find(id); {
	case i < 0:
		return errUnknownNode(c.Args[2])
	case i == v.Self:
		return commands.Error("ERR I tried hard but I can't forget myself...")
	case leads(v, i):
		return commands.Error("ERR Can't forget my master!")
	}
	return t.Forget(id)
}

// clusterFailover accepts FORCE, because no leader has to agree: the majority elects. TAKEOVER is a
// leader without a majority, which there is not.
func clusterFailover(c *commands.Call, t commands.Topology) error {
	switch {
	case len(c.Args) > 3:
		return c.SubcommandSyntax()
	case len(c.Args) == 3 && !commands.Is(c.Args[2], "force") && !commands.Is(c.Args[2], "takeover"):
		return commands.ErrSyntax
	case len(c.Args) == 3 && commands.Is(c.Args[2], "takeover"):
		return commands.Error("ERR a majority of the nodes elects the leader, so no node can take over " +
			"without it: use CLUSTER FAILOVER")
	case t.Epoch() != 0:
		return commands.Error("ERR You should send CLUSTER FAILOVER to a replica")
	}
	return t.Failover()
}
