package sidecar

import (
	"cellserver/commands"
	"cellserver/router"
)

// transaction has the effects of the commands since MULTI, as the hub replies to them. Each comes with its
// element in the reply of EXEC. The goroutine of the client's own connection uses it.
type transaction struct {
	begun  bool
	length int       // in commands
	weight int       // of the effects, in hashes of keys
	queued []*effect // in the order of the commands
}

// mostQueued bounds the weight of the effects of a transaction. The effect of a larger one is that the
// sidecar forgets all limits.
const mostQueued = 1 << 18

// weightOf is the weight of an effect without its keys.
const weightOf = 24

// add adds a command that the hub has queued.
func (t *transaction) add(e *effect) {
	if e != nil {
		e.at = t.length
		if t.weight += weightOf + len(e.keys); t.weight <= mostQueued {
			t.queued = append(t.queued, e)
		}
	}
	t.length++
}

// follow returns what reads the reply to a command of the client's own connection, nil if nothing follows
// from it.
func (o *own) follow(s *Sidecar, cmd *commands.Command, e *effect) func(reply []byte) (more bool) {
	name := ""
	if cmd != nil {
		name = cmd.Name
	}
	switch name {
	case "multi", "discard":
		return func(reply []byte) bool {
			if reply != nil && reply[0] == '+' {
				o.transaction = transaction{begun: name == "multi"}
			}
			return false
		}
	case "exec":
		return (&execution{sidecar: s, own: o}).read
	}
	if e == nil && !o.queues {
		return nil
	}
	return func(reply []byte) bool {
		if o.begun && reply != nil {
			if string(reply) == "+QUEUED\r\n" {
				o.add(e)
			}
		} else if e != nil {
			s.apply(e, reply, &o.db)
		}
		return false
	}
}

// execution reads the reply of EXEC.
type execution struct {
	sidecar  *Sidecar
	own      *own
	begun    bool
	queued   []*effect // that are still to come
	elements router.Elements
}

func (x *execution) read(reply []byte) (more bool) {
	if !x.begun {
		isLarge := x.own.weight > mostQueued
		x.begun, x.queued, x.own.transaction = true, x.own.queued, transaction{}
		if isLarge && reply != nil && reply[0] == '*' {
			x.sidecar.forget()
		}
	}
	if reply == nil {
		for _, e := range x.queued {
			x.sidecar.apply(e, nil, &x.own.db)
		}
		return false
	}
	x.elements.Each(reply, func(i int, begin []byte) {
		if len(x.queued) > 0 && x.queued[0].at == i {
			x.sidecar.apply(x.queued[0], begin, &x.own.db)
			x.queued = x.queued[1:]
		}
	})
	return len(x.queued) > 0
}
