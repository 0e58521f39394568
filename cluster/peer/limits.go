package peer

import "time"

// Limits are the bounds of a Port and of a Publisher. A field that is 0 has the value of DefaultLimits.
type Limits struct {
	Pending  int // connections that authenticate; the oldest one makes place
	Raft     int // connections for messages of Raft, and as many others for the entries of its log
	Forwards int // forwarded clients
	Calls    int // connections for calls

	Message    int // bytes of a published message with its channel
	QueueCount int // published messages that wait for one node
	QueueBytes int // and their bytes

	Call time.Duration // for one call, with its redirections
	Step time.Duration // for one write, and for one PROXY line
}

// DefaultLimits are for a few nodes that trust each other.
var DefaultLimits = Limits{
	Pending: 64, Raft: 256, Forwards: 10_000, Calls: 256,
	Message: 1 << 20, QueueCount: 16_384, QueueBytes: 16 << 20,
	Call: 30 * time.Second, Step: 5 * time.Second,
}

// orDefault fills in the fields that are 0.
func (l Limits) orDefault() Limits {
	d := &DefaultLimits
	for _, n := range []struct{ of, otherwise *int }{
		{&l.Pending, &d.Pending}, {&l.Raft, &d.Raft}, {&l.Forwards, &d.Forwards}, {&l.Calls, &d.Calls},
		{&l.Message, &d.Message}, {&l.QueueCount, &d.QueueCount}, {&l.QueueBytes, &d.QueueBytes},
	} {
		if *n.of == 0 {
			*n.of = *n.otherwise
		}
	}
	for _, t := range []struct{ of, otherwise *time.Duration }{{&l.Call, &d.Call}, {&l.Step, &d.Step}} {
		if *t.of == 0 {
			*t.of = *t.otherwise
		}
	}
	return l
}

// of returns how many connections of a kind may be open.
func (l *Limits) of(kind connKind) int {
	switch kind {
	case kindRaft, kindEntries:
		return l.Raft
	case kindForward:
		return l.Forwards
	}
	return l.Calls
}
