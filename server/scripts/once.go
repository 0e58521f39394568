package scripts

import (
	"bytes"

	"cellserver/commands"
)

// later has what the commands of a script do outside the store. A run that may begin again does it at its
// end, so that it happens once. A run that may not does it at once.
type later struct {
	on    bool
	bytes int // that all of it takes
	all   []func()
}

// laterCost is what something to do takes beside its bytes, while the list moves to a larger place.
const laterCost = 320

// do does something with copies of its arguments, now or at the end of the run.
func (l *later) do(f func(args ...[]byte), args ...[]byte) {
	if !l.on {
		f(args...)
		return
	}
	copies := make([][]byte, len(args))
	for i, a := range args {
		copies[i] = bytes.Clone(a)
		l.bytes += len(a)
	}
	l.bytes += laterCost
	l.all = append(l.all, func() { f(copies...) })
}

// end does what is left.
func (l *later) end() {
	for _, f := range l.all {
		f()
	}
	*l = later{}
}

// serverFor returns the server as the commands of a script see it.
func (l *later) serverFor(s *commands.Server) *commands.Server {
	own := *s
	own.PubSub, own.Tracker = broker{s.PubSub, l}, tracker{s.Tracker, l}
	own.Stats.Commands, own.Stats.Limited = counters{s.Stats.Commands, l}, limited{s.Stats.Limited, l}
	own.Control = control{s.Control, l}
	return &own
}

type broker struct {
	commands.Broker
	later *later
}

func (b broker) Publish(by *commands.Conn, channel, message []byte) int {
	if !b.later.on {
		return b.Broker.Publish(by, channel, message)
	}
	b.later.do(func(args ...[]byte) { b.Broker.Publish(by, args[0], args[1]) }, channel, message)
	return b.Receivers(channel)
}

type tracker struct {
	commands.Tracker
	later *later
}

func (t tracker) FlushedNothing(by *commands.Conn) {
	t.later.do(func(...[]byte) { t.Tracker.FlushedNothing(by) })
}

type counters struct {
	commands.CommandStats
	later *later
}

func (c counters) Decided(cmd *commands.Command, limited, looked bool) {
	c.later.do(func(...[]byte) { c.CommandStats.Decided(cmd, limited, looked) })
}

type limited struct {
	commands.LimitedKeys
	later *later
}

func (l limited) Add(db int, key []byte) {
	l.later.do(func(args ...[]byte) { l.LimitedKeys.Add(db, args[0]) }, key)
}

type control struct {
	commands.Control
	later *later
}

// Topology implements [commands.Control].
func (c control) Topology() commands.Topology {
	t := c.Control.Topology()
	if t == nil {
		return nil
	}
	return topology{t, c.later}
}

type topology struct {
	commands.Topology
	later *later
}

func (t topology) Publish(channel, message []byte) {
	t.later.do(func(args ...[]byte) { t.Topology.Publish(args[0], args[1]) }, channel, message)
}
