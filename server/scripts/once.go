package scripts

import (
	"bytes"
	"strconv"

	"cellserver/commands"
	"cellserver/limiters/adaptive"
)

// deferred has what the commands of a script do outside the store: they publish messages and count. A run
// that may begin again does it at its end, so that it happens only once. Every other run does it immediately.
type deferred struct {
	waits   bool                      // for the end of the run
	bytes   int                       // of memory that the actions take
	actions []func()                  // that wait
	windows map[string]adaptive.Meter // windows of adaptive limits that have changed, by windowName
}

// actionBytes is the memory of an action beside its arguments, also while the list of actions grows.
const actionBytes = 320

// do calls f: at the end of the run with copies of the arguments, or immediately.
func (d *deferred) do(f func(args ...[]byte), args ...[]byte) {
	if !d.waits {
		f(args...)
		return
	}
	copies := make([][]byte, len(args))
	for i, a := range args {
		copies[i] = bytes.Clone(a)
		d.bytes += len(a)
	}
	d.bytes += actionBytes
	d.actions = append(d.actions, func() { f(copies...) })
}

// doAll does what waits.
func (d *deferred) doAll() {
	for _, f := range d.actions {
		f()
	}
	*d = deferred{}
}

// serverFor returns the server as the commands of a script see it, in this run and in the next ones. Its
// parts are the types below. Each of them defers what acts outside the store, and passes on all other calls.
func (d *deferred) serverFor(s *commands.Server) *commands.Server {
	seen := *s
	seen.PubSub, seen.Tracker = broker{s.PubSub, d}, tracker{s.Tracker, d}
	seen.Stats.Commands, seen.Stats.Limited = counters{s.Stats.Commands, d}, limitedKeys{s.Stats.Limited, d}
	seen.Stats.Meters = openWindows{s.Stats.Meters, d}
	seen.Control = control{s.Control, d}
	return &seen
}

type broker struct {
	commands.Broker
	deferred *deferred
}

func (b broker) Publish(by *commands.Conn, kind commands.Subject, channel, message []byte) int {
	if !b.deferred.waits {
		return b.Broker.Publish(by, kind, channel, message)
	}
	b.deferred.do(func(args ...[]byte) { b.Broker.Publish(by, kind, args[0], args[1]) }, channel, message)
	return b.Receivers(kind, channel)
}

type tracker struct {
	commands.Tracker
	deferred *deferred
}

func (t tracker) FlushedNothing(by *commands.Conn) {
	t.deferred.do(func(...[]byte) { t.Tracker.FlushedNothing(by) })
}

type counters struct {
	commands.CommandStats
	deferred *deferred
}

func (c counters) Decided(cmd *commands.Command, limited, looked bool) {
	c.deferred.do(func(...[]byte) { c.CommandStats.Decided(cmd, limited, looked) })
}

func (c counters) Leased(by *commands.Conn, granted, returned int64) {
	c.deferred.do(func(...[]byte) { c.CommandStats.Leased(by, granted, returned) })
}

type limitedKeys struct {
	commands.LimitedKeys
	deferred *deferred
}

func (l limitedKeys) Add(db int, key []byte) {
	l.deferred.do(func(args ...[]byte) { l.LimitedKeys.Add(db, args[0]) }, key)
}

// openWindows are the windows of adaptive limits. A run that may begin again finds those that it has changed.
type openWindows struct {
	commands.Meters
	deferred *deferred
}

func (w openWindows) Get(m *adaptive.Meter, db int, key []byte, at *adaptive.Place) {
	w.Meters.Get(m, db, key, at)
	if kept, ok := w.deferred.windows[windowName(db, key)]; ok {
		*m = kept
	}
}

func (w openWindows) Put(
	m *adaptive.Meter, db int, key []byte, at *adaptive.Place, ended *adaptive.Ended,
) {
	if !w.deferred.waits {
		w.Meters.Put(m, db, key, at, ended)
		return
	}
	if w.deferred.windows == nil {
		w.deferred.windows = map[string]adaptive.Meter{}
	}
	w.deferred.windows[windowName(db, key)] = *m
	kept, place, end := *m, *at, *ended
	w.deferred.do(func(args ...[]byte) { w.Meters.Put(&kept, db, args[0], &place, &end) }, key)
}

// windowName returns a name of a key and its database.
func windowName(db int, key []byte) string { return strconv.Itoa(db) + ":" + string(key) }

type control struct {
	commands.Control
	deferred *deferred
}

func (c control) Topology() commands.Topology {
	t := c.Control.Topology()
	if t == nil {
		return nil
	}
	return topology{t, c.deferred}
}

type topology struct {
	commands.Topology
	deferred *deferred
}

func (t topology) Publish(shard bool, channel, message []byte) {
	t.deferred.do(func(args ...[]byte) { t.Topology.Publish(shard, args[0], args[1]) }, channel, message)
}
