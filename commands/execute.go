package commands

import (
	"strings"

	"cellserver/resp"
	"cellserver/store"
)

// execute locks the partitions that a command works on and runs it.
func (s *Server) execute(call *Call) resp.Status {
	fp := &call.Client.footprint
	*fp = store.Footprint{}
	call.Cmd.footprint(call, fp)
	if *fp != (store.Footprint{}) {
		call.Tx = call.Client.tx
		call.Tx.Begin(call.Now, call.Client.db, fp)
		defer call.Client.endTx()
	}
	return s.run(call)
}

// run runs a command whose locks are held, and keeps count of it once it is done. What
// it took counts from the end of the one before it in the batch, so waiting for locks is
// part of it, and the clock is read once for both.
func (s *Server) run(call *Call) resp.Status {
	cmd := call.Cmd
	if call.Tx != nil {
		call.Tx.NoTouch = call.Client.noTouch && cmd.Name != "touch"
	}
	start := call.Client.lapse
	mark := call.Out.Mark()
	err := cmd.Run(call)
	v, ended := err.(verdict)
	if v == tryAgain {
		return resp.Retry
	}
	st := s.statsOf(cmd)
	if err != nil && !ended {
		call.Out.Truncate(mark)
		st.failed.Add(1)
		s.replyError(call, err)
	}
	call.Client.lapse = s.Clock.Monotonic()
	s.account(call, st, call.Client.lapse-start+call.slept)
	s.follow(call)
	return resp.Status(v)
}

// account counts a command that took some nanoseconds.
func (s *Server) account(call *Call, st *stats, took int64) {
	st.calls.Add(1)
	st.nanos.Add(took)
	st.took[durationBucket(took)].Add(1)
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
