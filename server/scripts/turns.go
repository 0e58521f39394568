package scripts

import "runtime"

// longRun is the run of a script that takes long. The times are those of the monotonic clock.
type longRun struct {
	listed  bool  // in long
	hasTurn bool  // the others wait
	asks    int64 // when it asks again whether its client has left
	leftAt  int64 // when it found that its client has left
}

// takeTurn waits for the turn of a script that takes long. If the script has the turn, the next one gets it
// first.
func (r *runner) takeTurn() {
	if !r.run.listed {
		return
	}
	r.endTurn()
	r.long.turn <- struct{}{}
	r.run.hasTurn = true
	runtime.Gosched() // on one processor, the other clients run before the script
}

func (r *runner) endTurn() {
	if r.run.hasTurn {
		r.run.hasTurn = false
		<-r.long.turn
	}
}

// How long a script goes on after its client has left, in nanoseconds. A client may close its side before
// it reads the reply, so a script that has not written has a second. One that has written has a minute. In
// Redis it goes on for ever.
const (
	askClient   = 100e6
	leftReading = 1e9
	leftWriting = 60e9
)

// checkClient ends a script whose client has left. The server then undoes its changes.
func (r *runner) checkClient() error {
	c := r.run.call
	now := c.Server.Clock.Monotonic()
	if now < r.run.asks {
		return nil
	}
	r.run.asks = now + askClient
	switch {
	case !c.Conn.Link.Peer.Gone():
		r.run.leftAt = 0
	case r.run.leftAt == 0:
		r.run.leftAt = now
	case now-r.run.leftAt >= leftWriting:
		r.run.stopped = true
		c.Server.Log.Warn("a script that has written is ended: its client has left a minute ago",
			"script", r.run.script.sha, "undone", r.mayStop())
		return errLeft
	case now-r.run.leftAt >= leftReading && r.state.CompareAndSwap(clean, killed):
		return errLeft
	}
	return nil
}
