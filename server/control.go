package server

import (
	"sync/atomic"
	"time"

	"cellserver/commands"
	"cellserver/server/stats"
)

// control implements [commands.Control].
type control struct {
	runID    string
	shutdown func(commands.ShutdownMode) error
	topology commands.Topology
	active   atomic.Bool // the server removes expired keys in the background

	replication commands.Replication // nil: the server cannot follow another one
}

// RunID implements [commands.Control].
func (c *control) RunID() string { return c.runID }

// Topology implements [commands.Control].
func (c *control) Topology() commands.Topology { return c.topology }

// Replication implements [commands.Control].
func (c *control) Replication() commands.Replication { return c.replication }

// leads reports whether the server may change its keys on its own: it is alone, or it leads.
func (c *control) leads() bool { return c.topology == nil || c.epoch() != 0 }

// epoch returns the epoch of this node; 0 if it does not lead, and if it is alone.
func (c *control) epoch() uint64 {
	if c.topology == nil {
		return 0
	}
	return c.topology.Epoch()
}

// Shutdown implements [commands.Control].
func (c *control) Shutdown(mode commands.ShutdownMode) (known bool, err error) {
	if c.shutdown == nil {
		return false, nil
	}
	return true, c.shutdown(mode)
}

// ScriptMemory returns how many bytes scripts have made at most, with the garbage of those that have ended.
func (s *Server) ScriptMemory() int64 { return s.parts.Scripts.Memory() }

// StopScripts ends the scripts that take long and began before a time of the monotonic clock, and takes back what
// they have done. The server stops, or its cluster needs their keys.
func (s *Server) StopScripts(before int64) { s.parts.Scripts.Stop(before) }

// stopScriptsEvery is how often EndScripts looks for a script that takes long.
const stopScriptsEvery = 50 * time.Millisecond

// EndScripts ends every script that takes long, after a time and until the caller calls done. A script without an
// end would hold its keys. Another script may begin meanwhile. A script that has just begun goes on. It may be a
// short one of EXEC, which does not take back what it has done.
func (s *Server) EndScripts(after time.Duration) (done func()) {
	ended := make(chan struct{})
	go func() {
		for wait := after; ; wait = stopScriptsEvery {
			select {
			case <-ended:
				return
			case <-time.After(wait):
				s.StopScripts(s.parts.Clock.Monotonic() - int64(stopScriptsEvery/2))
			}
		}
	}()
	return func() { close(ended) }
}

// SetActiveExpire implements [commands.Control].
func (c *control) SetActiveExpire(on bool) { c.active.Store(on) }

// counters implements [commands.CommandStats].
type counters struct {
	*stats.Commands
	server *Server
}

// Reset implements [commands.CommandStats].
func (c *counters) Reset() {
	s := c.server
	s.stats.Commands.Reset()
	s.stats.Totals.Reset()
	s.stats.Limited.Reset()
	s.parts.Rules.ResetCounts()
	s.stats.Errors.Reset()
	s.stats.Logins.ResetCounts()
	s.stats.Rates.Reset()
	s.report.ResetTraffic()
	s.parts.Store.ResetCounters()
}
