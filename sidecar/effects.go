package sidecar

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/sidecar/account"
)

// places is how many places keys have, by a hash. If two keys have one place, a refusal of one is forgotten
// when the other one changes.
const places = 1024

// written has when the hub last ran a command that may have changed a key of a place, in microseconds.
type written [places]atomic.Int64

// effects are what commands of the hub change for a sidecar.
type effects struct {
	some    bool
	forgets bool                // there are other limits, no keys, or another time
	keys    [places / 64]uint64 // a bit for each place with a key that may be another one
	db      int64               // the database that the client has selected; below 0 for the same one
}

func (s *Sidecar) place(key []byte) uint64 { return maphash.Bytes(s.seed, key) % places }

// effectsOf returns the effects of a command.
func (s *Sidecar) effectsOf(cmd *commands.Command, args [][]byte) effects {
	e := effects{db: -1}
	if cmd == nil {
		return e
	}
	switch cmd.FullName() {
	case "cl.rule|set", "cl.rule|override", "cl.rule|del", "flushall", "flushdb", "debug":
		e.some, e.forgets = true, true
	case "select":
		e.some = true
		e.db, _ = commands.ParseInt(args[1])
	default:
		if e.some = cmd.Flags&(commands.Write|commands.RunsScript) != 0; e.some {
			cmd.EachKey(args, func(key []byte) { at := s.place(key); e.keys[at/64] |= 1 << (at % 64) })
		}
	}
	return e
}

// add adds the effects of a later command.
func (e *effects) add(later effects) {
	e.some, e.forgets = e.some || later.some, e.forgets || later.forgets
	for i := range e.keys {
		e.keys[i] |= later.keys[i]
	}
	if later.db >= 0 {
		e.db = later.db
	}
}

// apply notes the effects of commands that the hub has run.
func (s *Sidecar) apply(e *effects) {
	if e.forgets {
		s.forget()
	}
	now := s.o.Clock().Boot
	for i, word := range e.keys {
		for ; word != 0; word &= word - 1 {
			s.written[i*64+bits.TrailingZeros64(word)].Store(now)
		}
	}
}

// after returns what to do here after the hub has run a command, nil for nothing.
func (s *Sidecar) after(cmd *commands.Command, args [][]byte) func() {
	e := s.effectsOf(cmd, args)
	if !e.some {
		return nil
	}
	return func() { s.apply(&e) }
}

// after is as that of Sidecar, for a client with a state. A command inside MULTI runs with EXEC.
func (o *own) after(s *Sidecar, cmd *commands.Command, args [][]byte) func() {
	e, name := s.effectsOf(cmd, args), ""
	if cmd != nil {
		name = cmd.Name
	}
	switch {
	case name == "multi" && !o.queues:
		o.queues, o.queued = true, effects{db: -1}
	case name == "exec" && o.queues:
		e, o.queues = o.queued, false
	case name == "discard":
		o.queues = false
	case o.queues:
		o.queued.add(e)
		return nil
	}
	if !e.some {
		return nil
	}
	return func() {
		if s.apply(&e); e.db >= 0 {
			o.db.Store(e.db)
		}
	}
}

// renew makes an account forget a refusal from before the last change of a key of the command.
func (s *Sidecar) renew(a *account.Account, now account.Time, cmd *commands.Command, args [][]byte) {
	if a.Remembers(now) {
		cmd.EachKey(args, func(key []byte) { a.ForgetRefusal(s.written[s.place(key)].Load()) })
	}
}
