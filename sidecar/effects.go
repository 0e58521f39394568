package sidecar

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"

	"cellserver/commands"
)

// places is how many places keys have, by a hash. If two keys have one place, a refusal of one is forgotten
// when the other one changes.
const places = 1024

// written has when the hub last ran a command that may have changed a key of a place, in microseconds.
type written struct {
	seed maphash.Seed
	at   [places]atomic.Int64
}

// effects are what commands of the hub change for a sidecar. Without any, they are none.
type effects struct {
	some    bool
	forgets bool                // there are other limits, no keys, or another time
	keys    [places / 64]uint64 // a bit for each place with a key that may have changed
	db      int64               // the database that the client has selected; below 0 for the same one
}

var none = effects{db: -1}

func (w *written) place(key []byte) uint64 { return maphash.Bytes(w.seed, key) % places }

// since returns when a key of a command last changed.
func (w *written) since(cmd *commands.Command, args [][]byte) (last int64) {
	cmd.EachKey(args, func(key []byte) { last = max(last, w.at[w.place(key)].Load()) })
	return last
}

// note notes that the hub has run commands.
func (w *written) note(e *effects, now int64) {
	for i, word := range e.keys {
		for ; word != 0; word &= word - 1 {
			w.at[i*64+bits.TrailingZeros64(word)].Store(now)
		}
	}
}

// effectsOf returns the effects of a command.
func (w *written) effectsOf(cmd *commands.Command, args [][]byte) effects {
	e := none
	if cmd == nil || !cmd.Takes(len(args)) { // the hub refuses it
		return e
	}
	switch cmd.FullName() {
	case "cl.rule|set", "cl.rule|override", "cl.rule|del", "flushall", "flushdb", "swapdb",
		"debug":
		e.some, e.forgets = true, true
	case "select":
		e.some = true
		e.db, _ = commands.ParseInt(args[1])
	default:
		if e.some = cmd.Flags&(commands.Write|commands.RunsScript) != 0; e.some {
			cmd.EachKey(args, func(key []byte) { at := w.place(key); e.keys[at/64] |= 1 << (at % 64) })
		}
	}
	return e
}

// add adds the effects of a later command.
func (e *effects) add(later *effects) {
	e.some, e.forgets = e.some || later.some, e.forgets || later.forgets
	for i := range e.keys {
		e.keys[i] |= later.keys[i]
	}
	if later.db >= 0 {
		e.db = later.db
	}
}

// transaction has the effects of the commands since MULTI. They come with EXEC.
type transaction struct {
	queues bool
	queued effects
}

// run returns the effects that come as soon as the hub has run a command. `own` are those of the command.
func (t *transaction) run(cmd *commands.Command, own effects) effects {
	name := ""
	if cmd != nil {
		name = cmd.Name
	}
	switch {
	case name == "multi" && !t.queues:
		t.queues, t.queued = true, none
	case name == "exec" && t.queues:
		t.queues = false
		return t.queued
	case name == "discard":
		t.queues = false
	case t.queues:
		t.queued.add(&own)
		return none
	}
	return own
}
