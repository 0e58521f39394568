package peer

import (
	"cmp"
	"time"
)

// Limits are the bounds of a Port and of a Publisher. A field that is 0 has the value of defaultLimits.
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

// defaultLimits are for a few nodes that trust each other.
var defaultLimits = Limits{
	Pending: 64, Raft: 256, Forwards: 10_000, Calls: 256,
	Message: 1 << 20, QueueCount: 16_384, QueueBytes: 16 << 20,
	Call: 30 * time.Second, Step: 5 * time.Second,
}

// orDefault fills in the fields that are 0.
func (l Limits) orDefault() Limits {
	d := &defaultLimits
	return Limits{
		Pending: cmp.Or(l.Pending, d.Pending), Raft: cmp.Or(l.Raft, d.Raft),
		Forwards: cmp.Or(l.Forwards, d.Forwards), Calls: cmp.Or(l.Calls, d.Calls),
		Message: cmp.Or(l.Message, d.Message), Call: cmp.Or(l.Call, d.Call), Step: cmp.Or(l.Step, d.Step),
		QueueCount: cmp.Or(l.QueueCount, d.QueueCount), QueueBytes: cmp.Or(l.QueueBytes, d.QueueBytes),
	}
}

// mostOpen returns how many connections of a kind may be open.
func (l *Limits) mostOpen(kind connKind) int {
	switch kind {
	case kindRaft, kindEntries:
		return l.Raft
	case kindForward:
		return l.Forwards
	}
	return l.Calls
}
