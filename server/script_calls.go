package server

import (
	"fmt"
	"runtime/debug"
	"strings"

	"cellserver/commands"
	"cellserver/server/tracking"
	"cellserver/store"
)

// RunInScript implements [commands.Runner].
func (c *Client) RunInScript(call *commands.Call) (panicked any) {
	mark := call.Out.Mark()
	defer func() {
		switch reason := recover(); reason {
		case nil:
		case store.ErrExhausted:
			c.exhausted(call, mark, reason)
		default:
			panicked = fmt.Sprintf("%v, in a script: %s", reason, debug.Stack())
		}
	}()
	switch {
	case c.server.changesTooMuch(call):
		c.refuseInner(call, errExecTooLarge)
		return nil
	case !c.Alone() && call.Long():
		return nil
	}
	err := c.perform(call)
	v, ended := err.(commands.Verdict)
	if v == commands.TryAgain || v == commands.TakesLong || v == commands.Restart {
		call.Out.Truncate(mark) // the command has begun its reply
		return nil
	}
	text := ""
	if err != nil && !ended {
		text = strings.TrimRight(err.Error(), "\r\n")
		call.Out.Truncate(mark)
		call.Out.Error(text)
	}
	untimed, slow := c.timing.script.Add(call.Cmd, text), c.server.slow.Above()
	if call.Cmd.Flags&commands.Fast == 0 || slow < groupBelow || untimed >= maxGroup {
		if took := c.timing.script.Time(&c.timing.since, c.server.parts.Clock.Monotonic()); took >= slow {
			c.server.slow.Note(call, c.entry.Addr(), c.server.Config(), took)
		}
	}
	if c.conn.Tracking.On && call.Cmd.Flags&commands.ReadOnly != 0 && call.Tx != nil && c.conn.Tracking.Wants() {
		tracking.NoteReads(call)
	}
	if c.server.monitors.On() {
		c.show(call)
	}
	if c.timing.script.Full() {
		c.countScript()
	}
	return nil
}

// Refuse implements [commands.Runner].
func (c *Client) Refuse(inner *commands.Call, err error) {
	c.timing.script.Refuse(inner.Cmd, err.Error())
	if c.timing.script.Full() {
		c.countScript()
	}
}

// countScript counts the commands of a script.
func (c *Client) countScript() {
	s, calls := c.server, &c.timing.script
	calls.Time(&c.timing.since, s.parts.Clock.Monotonic())
	for i := range calls.All {
		counters := s.stats.Commands.Of(calls.All[i].Cmd)
		counters.Add(1, calls.All[i].Took)
		if text := calls.All[i].Err; text != "" {
			s.stats.Errors.Add(text)
			counters.Failed.Add(1)
		}
	}
	for _, refused := range calls.Refused {
		s.stats.Errors.Add(refused.Err)
		if refused.Cmd != nil {
			s.stats.Commands.Of(refused.Cmd).Rejected.Add(1)
		}
	}
	for _, line := range calls.Lines {
		s.monitors.Send(&c.conn, line)
	}
	calls.Forget()
}
