package commands

import (
	"cellserver/resp"
)

// Handle runs one command, or queues it inside MULTI. The checks come in Redis's order
// (processCommand of its server.c), because the first that fails is the reply.
func (c *Client) Handle(args [][]byte, w *resp.Writer) resp.Status {
	if c.killed.Load() {
		return resp.Close
	}
	c.out = w
	mark := w.Mark()
	st := c.dispatch(args, w)
	if st == resp.Retry || st == resp.Offload {
		return st
	}
	c.resume()
	if c.reply != replyOn {
		c.silence(w, mark)
	}
	c.trackingDone()
	if len(c.own) > 0 {
		w.Raw(c.own)
		c.own = c.own[:0]
	}
	if c.leaving {
		return resp.Close
	}
	return st
}

func (c *Client) dispatch(args [][]byte, w *resp.Writer) resp.Status {
	call := &c.call
	cmd, err := resolve(c.last.lookup(args[0]), args)
	call.Cmd, call.Args, call.Now, call.Out = cmd, args, c.now, w
	call.Tx, call.Secret, call.slept = nil, nil, 0
	c.restless = c.restless || cmd == nil || !cmd.onOneKey || c.multi.active
	if err == nil {
		err = c.admit(call)
	}
	if err == nil && c.blocked() {
		err = c.woken()
	}
	if err != nil {
		c.refuse(call, err)
		return resp.Continue
	}
	if c.server.paused(call) && !c.monitoring {
		c.block(held)
		return resp.Retry
	}
	if c.multi.active && cmd.Flags&Immediate == 0 {
		return c.queue(cmd, args, w)
	}
	if !c.apart && (cmd.Flags|c.multi.flags)&mayTakeLong != 0 {
		c.apart = true
		return resp.Offload
	}
	c.apart = false
	st := c.server.execute(call)
	if c.after != nil {
		after := c.after
		c.after = nil
		after()
	}
	if st == resp.Retry {
		c.block(waiting)
	}
	return st
}

// admit says whether a command may run at all.
func (c *Client) admit(call *Call) error {
	flags := call.Cmd.Flags
	switch {
	case c.mustAuthenticate() && flags&NoAuth == 0:
		return errNoAuth
	case c.multi.active && flags&NoMulti != 0:
		return errNotInMulti
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
		if err := call.checkCondition(now); err != nil {
			return err
		}
	}
	if c.subscribed() && call.Out.Proto == 2 && flags&whileSubscribed == 0 {
		return onlySubscribing(call.Cmd)
	}
	if c.monitoring && call.effectiveFlags()&(Write|ReadOnly|MayReplicate) != 0 {
		return errMonitorKeys
	}
	return nil
}

// refuse replies with the error of a command that did not run. Inside MULTI it dooms
// the transaction; an EXEC that may not run ends it.
func (c *Client) refuse(call *Call, err error) {
	if call.Cmd != nil {
		c.server.statsOf(call.Cmd).rejected.Add(1)
	}
	if c.multi.active {
		c.multi.doomed = true
	}
	if call.Cmd != nil && call.Cmd.Name == "exec" {
		c.multi.reset()
		c.unwatch()
		err = execRefused(err)
	}
	c.server.replyError(call, err)
}
