package server

import (
	"strings"

	"cellserver/commands"
)

// The texts that Redis has, too, are those of Redis.
const (
	errMonitorKeys commands.Error = "ERR Replica can't interact with the keyspace"
	errUnblocked   commands.Error = "UNBLOCKED client unblocked via CLIENT UNBLOCK"
	errRoleChanged commands.Error = "UNBLOCKED force unblock from blocking operation, " +
		"instance state changed (master -> replica?)"
	errLeft      commands.Error = "ERR this server does not follow the other one any more"
	errExhausted commands.Error = "OOM the system gives the server no more memory: lower maxmemory, " +
		"or give the server more"
)

// admitFollower returns an error if the turn of a follower has ended.
func admitFollower(of *turn, now *Condition) error {
	if now == nil || now.follows != of {
		return errLeft
	}
	return nil
}

// errOnlySubscribing is the error of most commands of a subscribed RESP2 client. Such a client
// cannot distinguish replies from messages.
func errOnlySubscribing(cmd *commands.Command) error {
	return commands.Error("ERR Can't execute '" + cmd.FullName() + "': only (P|S)SUBSCRIBE / " +
		"(P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context")
}

// execRefused is the error of an EXEC that did not run because of err. An error of the cluster stays
// as it is, because cluster clients parse it.
func execRefused(err error) error {
	text := err.Error()
	switch code, _, _ := strings.Cut(text, " "); code {
	case "CROSSSLOT", "MOVED", "CLUSTERDOWN":
		return err
	}
	return commands.Error("EXECABORT Transaction discarded because of: " + strings.TrimPrefix(text, "ERR "))
}
