package server

import (
	"strings"

	"cellserver/commands"
	"cellserver/store"
)

const errMonitorKeys commands.Error = "ERR Replica can't interact with the keyspace"

// admit says whether a command may run. The checks come in Redis's order (processCommand of its
// server.c), because the first failure is the reply.
func (c *Client) admit(call *commands.Call) error {
	flags := call.Cmd.Flags
	switch {
	case flags&commands.NoAuth == 0 && c.conn.MustAuthenticate(&c.server.parts):
		return commands.ErrNoAuth
	case c.conn.Transaction.Queue.Active && flags&commands.NoMulti != 0:
		return commands.ErrNotInMulti
	}
	if err := c.server.checkSlots(call); err != nil {
		return err
	}
	now := c.server.condition.Load()
	if now == nil || !now.Loading {
		if err := c.server.checkMemory(call); err != nil {
			return err
		}
	}
	if now != nil {
		if err := checkCondition(call, now); err != nil {
			return err
		}
	}
	if c.conn.Subs.Subscribed() && call.Out.Proto == 2 && flags&commands.WhileSubscribed == 0 {
		return errOnlySubscribing(call.Cmd)
	}
	if c.conn.Modes.Monitoring && call.EffectiveFlags()&(commands.Write|commands.ReadOnly|commands.MayReplicate) != 0 {
		return errMonitorKeys
	}
	return nil
}

// errOnlySubscribing is the reply to other commands of a RESP2 client that is subscribed: it
// could not tell their replies from messages.
func errOnlySubscribing(cmd *commands.Command) error {
	return commands.Error("ERR Can't execute '" + cmd.FullName() + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context")
}

// refuse replies with the error of a command that did not run. Inside MULTI the error dooms
// the transaction. An EXEC that may not run ends the transaction.
func (c *Client) refuse(call *commands.Call, err error) {
	if call.Cmd != nil {
		c.server.stats.Commands.Of(call.Cmd).Rejected.Add(1)
	}
	queue := &c.conn.Transaction.Queue
	if queue.Active {
		queue.Aborted = true
	}
	if call.Cmd != nil && call.Cmd.Name == "exec" {
		queue.Reset()
		c.unwatch()
		err = execRefused(err)
	}
	c.server.replyError(call, err)
}

// execRefused is the reply to an EXEC that may not run because of err. An error about slots
// stays as it is, because cluster clients act on it.
func execRefused(err error) error {
	text := err.Error()
	if strings.HasPrefix(text, "CROSSSLOT ") {
		return err
	}
	return commands.Error("EXECABORT Transaction discarded because of: " + strings.TrimPrefix(text, "ERR "))
}

// checkSlots refuses, in cluster mode, a command or a transaction whose keys have several hash
// slots.
func (s *Server) checkSlots(call *commands.Call) error {
	if !s.Config().ClusterEnabled {
		return nil
	}
	slot, mixed := -1, false
	note := func(key []byte) {
		k := int(store.Slot(key))
		mixed = mixed || slot >= 0 && k != slot
		slot = k
	}
	call.Cmd.EachKey(call.Args, note)
	if q := &call.Conn.Transaction.Queue; q.Active && call.Cmd.Name == "exec" {
		for _, queued := range q.Commands {
			queued.Cmd.EachKey(queued.Args, note)
		}
	}
	if mixed {
		return commands.ErrCrossSlot
	}
	return nil
}
