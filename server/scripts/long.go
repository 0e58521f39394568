package scripts

import (
	"sync"

	"cellserver/commands"
)

// long lists the scripts that run alone, in long transactions: SCRIPT KILL ends them. One of them runs at a
// time, so that all of them together use one processor, and the other clients have the others.
type long struct {
	mu   sync.Mutex // guards all, and makes turn
	all  map[*runner]struct{}
	turn chan struct{} // full while a script has the turn. Those that wait for it get it in their order
}

// maxLong is how many scripts that run alone there are at a time. Short scripts run beside them.
const maxLong = 64

// The states of a script. A dirty one has called a command that writes, and cannot be killed. A killed one
// does not write. A stopped one ends, whatever it has done, because the server stops.
const (
	clean int32 = iota
	dirty
	killed
	stopped
)

const (
	errNotBusy    commands.Error = "NOTBUSY No scripts in execution right now."
	errUnkillable commands.Error = "UNKILLABLE Sorry the script already executed write commands " +
		"against the dataset. " +
		"You can either wait the script termination or kill the server in a hard way using the " +
		"SHUTDOWN NOSAVE command."
	errKilled  commands.Error = "ERR Script killed by user with SCRIPT KILL..."
	errStopped commands.Error = "ERR the script was ended because the server stops, or because its cluster needs the keys"
	errLeft    commands.Error = "ERR the client has closed the connection before the end of the script"
)

// checkRun is called every machine.DefaultLimits.Steps steps, which take a millisecond. A script that takes
// longer must run alone: then no goroutine that serves other clients waits for its locks.
func (r *runner) checkRun() error {
	c := r.run.call
	if !c.Runner.Alone() {
		r.run.script.long.Store(true)
		return r.restart(commands.TakesLong)
	}
	r.takeTurn()
	if err := r.checkClient(); err != nil {
		return err
	}
	return r.ended()
}

// ended returns the reason why a script must not go on.
func (r *runner) ended() error {
	switch r.state.Load() {
	case killed:
		return errKilled
	case stopped:
		r.run.stopped = true
		return errStopped
	}
	return nil
}

// mayWrite reports whether the script may write: nobody has killed it. From its first write on, the
// transaction keeps what may have to be taken back.
func (r *runner) mayWrite() bool {
	if c := r.run.call; c.Tx != nil && (r.deferred.waits || r.mayStop()) {
		c.Tx.KeepUndo()
	}
	return r.state.CompareAndSwap(clean, dirty) || r.state.Load() == dirty
}

// add lists a script, unless too many run already.
func (l *long) add(r *runner, now int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all, l.turn = map[*runner]struct{}{}, make(chan struct{}, 1)
	}
	if len(l.all) >= maxLong {
		return errTooMany
	}
	r.run.listed = true
	r.since.Store(now)
	l.all[r] = struct{}{}
	return nil
}

func (l *long) remove(r *runner) {
	r.endTurn()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.all, r)
}

// Kill implements [commands.Scripts]. A script that is killed already, and has not ended yet, counts as one
// that it kills.
func (s *Scripts) Kill() error {
	s.long.mu.Lock()
	defer s.long.mu.Unlock()
	if len(s.long.all) == 0 {
		return errNotBusy
	}
	err := error(errUnkillable)
	for r := range s.long.all {
		if r.state.CompareAndSwap(clean, killed) || r.state.Load() == killed {
			err = nil
		}
	}
	return err
}

// Stop implements [commands.Scripts].
func (s *Scripts) Stop(before int64) {
	s.long.mu.Lock()
	defer s.long.mu.Unlock()
	for r := range s.long.all {
		if r.since.Load() < before {
			r.state.Store(stopped)
		}
	}
}

// Busy implements [commands.Scripts].
func (s *Scripts) Busy(c *commands.Call) bool {
	threshold := c.Server.Config().BusyReplyThreshold
	if threshold <= 0 {
		return false
	}
	now := c.Server.Clock.Monotonic()
	s.long.mu.Lock()
	defer s.long.mu.Unlock()
	for r := range s.long.all {
		if (now-r.since.Load())/1e6 >= threshold {
			return true
		}
	}
	return false
}
