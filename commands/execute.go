package commands

import (
	"strings"

	"cellserver/resp"
	"cellserver/store"
)

// execute locks the partitions that a command works on and runs it.
func (s *Server) execute(call *Call) resp.Status {
	c, cmd := call.Client, call.Cmd
	if cmd.onOneKey && len(call.Args) > 1 {
		call.Tx = c.tx
		c.tx.BeginKey(call.Now, c.db, call.Args[1])
	} else {
		fp := &c.footprint
		*fp = store.Footprint{}
		cmd.footprint(call, fp)
		if *fp == (store.Footprint{}) {
			return s.run(call)
		}
		call.Tx = c.tx
		c.tx.Begin(call.Now, c.db, fp)
	}
	defer c.endTx()
	return s.run(call)
}

// run runs a command whose locks are held, and keeps count of it once it is done. What
// it took counts from the end of the one before it in the batch, so waiting for locks is
// part of it, and the clock is read once for both.
func (s *Server) run(call *Call) resp.Status {
	c, cmd := call.Client, call.Cmd
	if call.Tx != nil {
		call.Tx.NoTouch = c.noTouch && cmd.Name != "touch"
	}
	tallied := c.tallies(cmd)
	mark := call.Out.Mark()
	err := cmd.Run(call)
	v, ended := err.(verdict)
	if v == tryAgain {
		return resp.Retry
	}
	if err != nil && !ended {
		call.Out.Truncate(mark)
		s.statsOf(cmd).failed.Add(1)
		s.replyError(call, err)
	}
	if tallied {
		c.tally.n++
	} else {
		s.account(call)
	}
	s.follow(call)
	return resp.Status(v)
}

// account counts a command that is done, and was timed by itself.
func (s *Server) account(call *Call) {
	c := call.Client
	now := s.Clock.Monotonic()
	took := now - c.lapse + call.slept
	c.lapse = now
	s.statsOf(call.Cmd).add(1, took)
	if took >= s.slow.above.Load() {
		s.noteSlow(call, took)
	}
}

// follow is for those who follow what clients run.
func (s *Server) follow(call *Call) {
	if call.Cmd.Flags&ReadOnly != 0 && call.Tx != nil && call.Client.track.wants() {
		call.Client.noteReads(call)
	}
	if s.monitors.on.Load() > 0 {
		s.monitors.show(call)
	}
}

// verdict lets a command end as a session status instead of an error: its reply, if
// any, stands.
type verdict resp.Status

// The verdicts that commands return.
const (
	closeConnection = verdict(resp.Close) // the reply leaves first
	tryAgain        = verdict(resp.Retry) // the command did not run; ask again soon
)

// Error makes a verdict an error; nobody reads the text.
func (verdict) Error() string { return "verdict" }

// replyError is the one place where an error becomes a reply. What a client sent may
// stand at a text's end: line ends are cut off there, elsewhere the writer blanks them.
func (s *Server) replyError(call *Call, err error) {
	text := strings.TrimRight(err.Error(), "\r\n")
	s.errors.add(text)
	call.Out.Error(text)
}
