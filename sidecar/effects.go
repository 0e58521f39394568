package sidecar

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"sync/atomic"

	"cellserver/commands"
)

// places is how many places keys have, by a hash. If two keys have one place, a refusal of one is forgotten
// when the other one changes.
const places = 1024

// shards is how many parts the accounts have. Clients with different keys rarely wait for each other.
const shards = 16

// shardOf returns the part with the accounts of a key by its hash. The hashes of a part are neighbours.
func shardOf(hash uint32) int { return int(hash / (1 << 32 / shards)) }

// written has when the hub last ran a command that may have changed a key of a place, in microseconds.
type written struct {
	seed maphash.Seed
	at   [places]atomic.Int64
}

func (w *written) hash(key []byte) uint32 { return uint32(maphash.Bytes(w.seed, key)) }

// last returns when a key last changed by its hash.
func (w *written) last(hash uint32) int64 { return w.at[hash%places].Load() }

// mostDrops is how many keys lose their leases at once. If there are more, the sidecar forgets all limits.
const mostDrops = 1 << 14

// effects are what commands of the hub change for a sidecar. Without any, they are none.
type effects struct {
	some    bool
	forgets bool                // there are other limits, no keys, or another time
	keys    [places / 64]uint64 // a bit for each place with a key that may have changed
	drops   []uint32            // hashes of the keys whose leases count for nothing
	db      int64               // the database that the client has selected; below 0 for the same one
}

var none = effects{db: -1}

// note notes that the hub has run commands.
func (w *written) note(e *effects, now int64) {
	for i, word := range e.keys {
		for ; word != 0; word &= word - 1 {
			w.at[i*64+bits.TrailingZeros64(word)].Store(now)
		}
	}
}

// eachDrop sorts the keys that lose their leases, and calls a function with those of each shard.
func (e *effects) eachDrop(do func(shard int, keys []uint32)) {
	slices.Sort(e.drops)
	for keys, n := e.drops, 0; len(keys) > 0; keys = keys[n:] {
		shard := shardOf(keys[0])
		for n = 1; n < len(keys) && shardOf(keys[n]) == shard; {
			n++
		}
		do(shard, keys[:n])
	}
}

// effectsOf returns the effects of a command.
func (w *written) effectsOf(cmd *commands.Command, args [][]byte) effects {
	e := none
	if cmd == nil || !cmd.Takes(len(args)) { // the hub refuses it
		return e
	}
	switch name := cmd.FullName(); name {
	case "cl.rule|set", "cl.rule|override", "cl.rule|del", "flushall", "flushdb", "swapdb",
		"debug":
		e.some, e.forgets = true, true
	case "select":
		e.some = true
		e.db, _ = commands.ParseInt(args[1])
	default:
		if e.some = cmd.Flags&(commands.Write|commands.RunsScript) != 0; e.some {
			drops := cmd.Group == commands.GroupGeneric || name == "cl.rule|reset"
			cmd.EachKey(args, func(key []byte) {
				hash := w.hash(key)
				at := hash % places
				if e.keys[at/64] |= 1 << (at % 64); drops {
					e.drops = append(e.drops, hash)
				}
			})
			e.bound()
		}
	}
	return e
}

// bound bounds the keys that lose their leases.
func (e *effects) bound() {
	if len(e.drops) > mostDrops {
		e.drops, e.forgets = nil, true
	}
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
	e.drops = append(e.drops, later.drops...)
	e.bound()
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
