package server

import "cellserver/commands"

// admit returns an error if a command may not run. The checks come in the order of Redis
// (processCommand of its server.c), because the first failed check is the reply.
func (c *Client) admit(call *commands.Call) error {
	flags, now := call.Cmd.Flags, c.server.condition.Load()
	c.admitted = now
	if c.follower != nil {
		return admitFollower(c.follower, now)
	}
	if limits := c.conn.Identity.User.Limits(); limits != nil {
		if err := c.permit(call, limits); err != nil {
			return err
		}
	} else if c.conn.Transaction.Queue.Active && flags&commands.NoMulti != 0 {
		return commands.ErrNotInMulti
	}
	cfg := c.server.Config()
	if cfg.ClusterEnabled {
		if err := c.checkCluster(call); err != nil {
			return err
		}
	}
	if cfg.MaxMemory != 0 && (now == nil || !now.Loading) {
		if err := c.server.checkMemory(call, cfg); err != nil {
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

// Admit implements [commands.Runner].
func (c *Client) Admit(inner *commands.Call, wrote bool) error {
	const onKeys = commands.Write | commands.ReadOnly
	switch {
	case c.follower != nil && isOurs(inner.Cmd):
		return errOurs
	case c.follower != nil:
		return nil
	}
	if now := c.server.condition.Load(); now != nil && !wrote && inner.Cmd.Flags&onKeys != 0 {
		if err := checkCondition(inner, now); err != nil {
			return err
		}
	}
	if c.server.Config().ClusterEnabled {
		return c.checkInScript(inner)
	}
	return nil
}

// refuse replies with the error of a command that did not run. Inside MULTI the error makes EXEC
// fail. An EXEC that did not run ends the transaction.
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
	c.replyError(call, err)
}
