package commands

import (
	"cellserver/replica"
	"cellserver/store"
)

// Replication makes this server follow another one, as a replica of Redis does: REPLICAOF. Its methods may
// wait, so a command calls Follow and Leave by Conn.After.
type Replication interface {
	// Follow makes the server follow another one, and returns before the keys are here. The server is
	// read-only from then on.
	Follow(host string, port int)
	// Leave ends that. The server keeps the keys, and takes writes.
	Leave()
	// Enter does the part of both that a transaction on all keys makes one moment, on the leader of a
	// cluster. Host is "" for Leave. It returns an error, and has changed nothing, if the cluster may not
	// follow.
	Enter(tx *store.Tx, host string, port int) error
	// State returns what the link to the other server is doing. ok is false if the server follows nobody.
	State() (s replica.State, ok bool)
}
