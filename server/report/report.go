package report

import (
	"sync/atomic"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/limiters/ruleset"
	"cellserver/server/clients"
	"cellserver/server/pubsub"
	"cellserver/server/slowlog"
	"cellserver/server/stats"
	"cellserver/server/tracking"
	"cellserver/store"
)

// Sources are the parts of the server that a report reads.
type Sources struct {
	Store   *store.Store
	Clock   commands.Clock
	Config  func() *config.Config
	Process Process
	Disk    commands.Persistence
	Control commands.Control
	Stats   *stats.Stats
	Clients *clients.Registry
	Slow    *slowlog.Log
	Rules   *ruleset.Rules
	// Scripts returns how many scripts there are, about how many bytes they take, and how many made room.
	Scripts func() (n, bytes int, forgotten int64)
	Listeners
}

// Listeners are the connections that the server tells what others do.
type Listeners struct {
	PubSub   *pubsub.Broker
	Tracking *tracking.Table
}

// Report builds INFO and the metrics. It implements [commands.Report] and is safe for concurrent
// use.
type Report struct {
	Sources
	since  int64                 // monotonic time of the start
	before atomic.Pointer[Usage] // traffic at the last CONFIG RESETSTAT; nil before the first one
}

// New returns a report of a server that starts now.
func New(s Sources) *Report { return &Report{Sources: s, since: s.Clock.Monotonic()} }

// Tick samples rates and peaks. The edge calls it about ten times a second.
func (r *Report) Tick() {
	usage := r.Process.usage()
	r.Stats.Rates.Sample(r.Clock.Monotonic(), [...]int64{
		stats.CommandsRun: r.Stats.Commands.Run(), stats.InputBytes: usage.Input, stats.OutputBytes: usage.Output,
	})
	r.memory()
}

// memory returns the bytes that the store uses now, and their peak.
func (r *Report) memory() (used, peak int64) {
	used = r.Store.Used()
	return used, r.Stats.Totals.Peak(used)
}

// ResetTraffic sets the traffic of connections to zero.
func (r *Report) ResetTraffic() {
	usage := r.Process.usage()
	r.before.Store(&usage)
}

// traffic returns the traffic of connections since the start or the last CONFIG RESETSTAT.
func (r *Report) traffic() Usage {
	u := r.Process.usage()
	if before := r.before.Load(); before != nil {
		u.Input -= before.Input
		u.Output -= before.Output
		u.Reads -= before.Reads
		u.Writes -= before.Writes
	}
	return u
}
