package admin

import (
	"cellserver/commands"
)

// REPLICAOF host port makes the server follow another one: a Redis or a Valkey. Its keys replace those of
// this server, and clients of this server only read. REPLICAOF NO ONE ends that, and keeps the keys.
// SLAVEOF is its former name.
var (
	_ = registerReplicaOf("replicaof")
	_ = registerReplicaOf("slaveof")
)

func registerReplicaOf(name string) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: 3, Group: commands.GroupServer, Run: replicaOf,
		Flags: commands.Admin | commands.NoAsyncLoading | commands.NoScript | commands.Stale,
		Cost:  commands.AlwaysLong, // it waits for the command of the master that runs
	})
}

const (
	errFollowsInCluster commands.Error = "ERR REPLICAOF not allowed in cluster mode."
	errFollowsNobody    commands.Error = "ERR REPLICAOF is for a server with keys, and a sidecar has none"
	errMasterPort       commands.Error = "ERR Invalid master port"
)

func replicaOf(c *commands.Call) error {
	r := c.Server.Control.Replication()
	switch {
	case c.Server.Config().ClusterEnabled:
		return errFollowsInCluster
	case r == nil:
		return errFollowsNobody
	case commands.Is(c.Args[1], "no") && commands.Is(c.Args[2], "one"):
		c.Conn.After.Once("replicaof", r.Leave)
		c.Out.OK()
		return nil
	}
	port, ok := commands.ParseInt(c.Args[2])
	if !ok || port < 0 || port > 65535 {
		return errMasterPort
	}
	host := string(c.Args[1])
	if s, follows := r.State(); follows && s.Host == host && s.Port == int(port) && !s.Stopped {
		c.Out.Simple("OK Already connected to specified master")
		return nil
	}
	c.Conn.After.Once("replicaof", func() { r.Follow(host, int(port)) })
	c.Out.OK()
	return nil
}

// roleOfReplica replies to ROLE on a server that follows another one.
func roleOfReplica(c *commands.Call, r commands.Replication) bool {
	if r == nil {
		return false
	}
	s, ok := r.State()
	if !ok {
		return false
	}
	c.Out.Array(5)
	c.Out.BulkString("slave")
	c.Out.BulkString(s.Host)
	c.Out.Int(int64(s.Port))
	c.Out.BulkString(string(s.Phase))
	c.Out.Int(s.Shown())
	return true
}
