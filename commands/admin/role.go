package admin

import (
	"strconv"

	"cellserver/commands"
)

// ROLE replies with the role of the server in replication. A server that is alone, and the leader of
// a cluster, are masters. A leader whose epoch has ended is not: it serves nothing until the cluster
// has elected a leader. Offsets are indexes in the log of the cluster.
var _ = commands.Register(&commands.Command{
	Name: "role", Arity: 1, Flags: commands.ConnectionFlags | commands.Fast, Group: commands.GroupServer,
	Categories: []string{"admin", "dangerous"}, Run: role,
})

func role(c *commands.Call) error {
	t := c.Server.Control.Topology()
	switch {
	case t != nil && t.Epoch() == 0:
		roleOfFollower(c, t)
	case roleOfReplica(c, c.Server.Control.Replication()):
	case t == nil:
		c.Out.Array(3)
		c.Out.BulkString("master")
		c.Out.Int(0)
		c.Out.Array(0)
	default:
		roleOfLeader(c, t)
	}
	return nil
}

func roleOfLeader(c *commands.Call, t commands.Topology) {
	v, door := t.View(), c.Conn.Link.Door()
	replicas := v.Replicas()
	c.Out.Array(3)
	c.Out.BulkString("master")
	c.Out.Int(int64(v.Applied(v.Self)))
	c.Out.Array(len(replicas))
	for _, r := range replicas {
		n := &v.Nodes[r]
		port, applied := strconv.Itoa(n.ClientPort(door)), strconv.FormatUint(v.Applied(r), 10)
		commands.StringArray(c.Out, []string{n.Host, port, applied})
	}
}

// roleOfFollower shows the leader, or the last leader during an election. Before the first election
// the address is empty.
func roleOfFollower(c *commands.Call, t commands.Topology) {
	v := t.View()
	host, port, link := "", 0, "connect"
	if leader := v.LeaderOf(0); leader >= 0 {
		host, port = v.Nodes[leader].Host, v.Nodes[leader].ClientPort(c.Conn.Link.Door())
	}
	if v.Follows() {
		link = "connected"
	}
	c.Out.Array(5)
	c.Out.BulkString("slave")
	c.Out.BulkString(host)
	c.Out.Int(int64(port))
	c.Out.BulkString(link)
	c.Out.Int(int64(v.Applied(v.Self)))
}
