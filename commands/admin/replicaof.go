package admin

import (
	"strings"
	"unicode"

	"cellserver/commands"
	"cellserver/store"
)

// REPLICAOF host port makes the server follow another one: a Redis or a Valkey. Its keys replace those of
// this server, and clients of this server only read. REPLICAOF NO ONE ends that, and keeps the keys.
// SLAVEOF is its former name. In a cluster it is a command of the leader: all nodes get the keys, and the
// next leader continues. The cluster must be empty.
var (
	_ = registerReplicaOf("replicaof")
	_ = registerReplicaOf("slaveof")
)

// kind is that of [commands.After].
const kind = "replicaof"

const maxHost = 255 // bytes of a name

func registerReplicaOf(name string) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: 3, Group: commands.GroupServer, Run: replicaOf,
		Flags: commands.Admin | commands.NoAsyncLoading | commands.NoScript | commands.Stale,
		Cost:  commands.AlwaysLong, // it waits for the command of the master that runs
		Footprint: func(c *commands.Call, fp *store.Footprint) {
			if c.Server.Control.Topology() != nil {
				fp.AddAll()
			}
		},
	})
}

const (
	errFollowsInCluster commands.Error = "ERR REPLICAOF not allowed in cluster mode." // without cluster-nodes
	errFollowsNobody    commands.Error = "ERR REPLICAOF is for a server with keys, and a sidecar has none"
	errMasterPort       commands.Error = "ERR Invalid master port"
	errMasterHost       commands.Error = "ERR the host must be a name or an address, with at most 255 bytes"
)

func replicaOf(c *commands.Call) error {
	r, cluster := c.Server.Control.Replication(), c.Server.Control.Topology()
	switch {
	case c.Server.Config().ClusterEnabled && (cluster == nil || r == nil):
		return errFollowsInCluster
	case r == nil:
		return errFollowsNobody
	case commands.Is(c.Args[1], "no") && commands.Is(c.Args[2], "one"):
		return begin(c, "", 0, r.Leave)
	}
	port, ok := commands.ParseInt(c.Args[2])
	if !ok || port < 0 || port > 65535 {
		return errMasterPort
	}
	host := string(c.Args[1])
	if host == "" || len(host) > maxHost || strings.ContainsFunc(host, inNoHost) {
		return errMasterHost
	}
	s, follows := r.State()
	if follows && s.Host == host && s.Port == int(port) && !s.Stopped && !c.Conn.After.Has(kind) {
		c.Out.Simple("OK Already connected to specified master")
		return nil
	}
	return begin(c, host, int(port), func() { r.Follow(host, int(port)) })
}

// inNoHost reports whether a name or an address never has a character.
func inNoHost(r rune) bool { return unicode.IsSpace(r) || r == '"' }

// begin changes whom the server follows, after the command and its transaction. In a cluster, the transaction
// has the change.
func begin(c *commands.Call, host string, port int, do func()) error {
	if c.Server.Control.Topology() != nil {
		if err := c.Server.Control.Replication().Enter(c.Tx, host, port); err != nil {
			return err
		}
	}
	c.Conn.After.Once(kind, do)
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
