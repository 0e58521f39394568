package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"cellserver/resp/resptest"
)

// A kind is a way to write a key whose value counts how often that was done, so that one look tells which of the writes
// are there. The value after n writes is base + n × step.
type kind struct {
	name    string
	step    int64
	request func(key string, n int64) []byte // the commands of the n-th write
	replies int                              // how many replies they have; the last one tells
	value   func(reply any, n int64) (int64, error)
	read    func(key string) []byte // commands with one reply
	found   func(reply any) (value int64, present bool, err error)
}

// interval is the emission interval of throttle keys here: so long that time never catches up with a TAT.
const interval = int64(time.Hour)

// kinds are those that every server has; a throttle key is cellserver's alone.
var kinds = []*kind{counter, score, text, pair}

var counter = &kind{
	name: "counter", step: 1, replies: 1,
	request: func(key string, _ int64) []byte { return resptest.Command("INCR", key) },
	value:   func(reply any, _ int64) (int64, error) { return integer(reply) },
	read:    func(key string) []byte { return resptest.Command("GET", key) },
	found:   one,
}

var tat = &kind{
	name: "tat", step: interval, replies: 4,
	request: func(key string, _ int64) []byte {
		return group(resptest.Command("CL.THROTTLE", key, 1_000_000, 1, int64(time.Duration(interval)/time.Second)), resptest.Command("GET", key))
	},
	value: func(reply any, _ int64) (int64, error) { return element(reply, 1, 2) },
	read:  func(key string) []byte { return resptest.Command("GET", key) },
	found: one,
}

var score = &kind{
	name: "score", step: 1, replies: 1,
	request: func(key string, _ int64) []byte { return resptest.Command("ZINCRBY", key, 1, "member") },
	value:   func(reply any, _ int64) (int64, error) { return integer(reply) },
	read:    func(key string) []byte { return resptest.Command("ZSCORE", key, "member") },
	found:   one,
}

// padding makes a text key's values long enough to be torn.
var padding = strings.Repeat("padding ", 20)

var text = &kind{
	name: "text", step: 1, replies: 1,
	request: func(key string, n int64) []byte {
		return resptest.Command("SET", key, fmt.Sprint(padding, n), "PX", 1<<40)
	},
	value: func(reply any, n int64) (int64, error) {
		if reply != resptest.Simple("OK") {
			return 0, fmt.Errorf("SET: %v", reply)
		}
		return n, nil
	},
	read: func(key string) []byte { return resptest.Command("GET", key) },
	found: func(reply any) (int64, bool, error) {
		if s, ok := reply.(string); ok {
			number, whole := strings.CutPrefix(s, padding)
			if !whole {
				return 0, true, fmt.Errorf("garbage %q", s)
			}
			reply = number
		}
		return one(reply)
	},
}

// pair counts two keys, far from each other, in one transaction: they are equal for ever.
var pair = &kind{
	name: "pair", step: 1, replies: 4,
	request: func(key string, _ int64) []byte {
		return group(resptest.Command("INCR", key), resptest.Command("INCR", "other "+key))
	},
	value: func(reply any, _ int64) (int64, error) {
		second, err := element(reply, 1, 2)
		if first, _ := element(reply, 0, 2); err == nil && first != second {
			err = fmt.Errorf("a pair is torn: %d and %d", first, second)
		}
		return second, err
	},
	read: func(key string) []byte { return resptest.Command("MGET", key, "other "+key) },
	found: func(reply any) (int64, bool, error) {
		both, ok := reply.([]any)
		if !ok || len(both) != 2 || both[0] != both[1] {
			return 0, true, fmt.Errorf("a pair is torn: %v", reply)
		}
		return one(both[0])
	},
}

// group is a transaction of two commands.
func group(first, second []byte) []byte {
	b := resptest.Command("MULTI")
	b = append(append(b, first...), second...)
	return append(b, resptest.Command("EXEC")...)
}

// element is an integer in a reply of n elements.
func element(reply any, i, n int) (int64, error) {
	all, ok := reply.([]any)
	if !ok || len(all) != n {
		return 0, fmt.Errorf("%v", reply)
	}
	return integer(all[i])
}

// one is the number that a key holds, if it is there.
func one(reply any) (value int64, present bool, err error) {
	if _, ok := reply.(resptest.Nil); ok {
		return 0, false, nil
	}
	value, err = integer(reply)
	return value, true, err
}

// A track is the history of one key since the last recovery, as its only client knows it.
type track struct {
	*kind
	key     string
	base    int64     // of the kind's formula
	based   bool      // base is known: a throttle key's is, once it has been told
	since   time.Time // when the first write of a key without base was sent
	start   int64     // how many writes the last recovery found
	last    int64     // the number of the last write that was acknowledged, or start
	acked   []ack     // in order
	unsure  int64     // how many were sent after that one: each may have happened
	refused int       // how many had an error for a reply
}

// An ack is a write that a client was told of.
type ack struct {
	n  int64
	at time.Time
}

// next is the number that the next write will have if all before it have happened.
func (k *track) next() int64 { return k.last + k.unsure + 1 }

// sent notes that a write is on its way.
func (k *track) sent(now time.Time) {
	if !k.based && k.unsure == 0 {
		k.since = now
	}
	k.unsure++
}

// answered notes the reply to a write that was sent as number n. After it, later ones may still be on their way.
// An error may hide a write that happened. Values that skip a number or repeat one are no reply at all.
func (k *track) answered(reply any, n int64, now time.Time, later int64) error {
	if _, failed := reply.(resptest.Error); failed {
		k.refused++
		return nil
	}
	v, err := k.value(reply, n)
	if err != nil {
		return fmt.Errorf("%s %q: %w", k.name, k.key, err)
	}
	if !k.based {
		k.base, k.based = v-k.step, true
	}
	n = (v - k.base) / k.step
	if (v-k.base)%k.step != 0 || n <= k.last || n > k.last+k.unsure {
		return fmt.Errorf("%s %q: replied %d as write %d, after %d with %d under way", k.name, k.key, v, n, k.last, k.unsure)
	}
	k.last, k.unsure = n, later
	k.acked = append(k.acked, ack{n, now})
	return nil
}

// A loss is what a recovery did not bring back.
type loss struct {
	lost   int       // acknowledged writes
	oldest time.Time // when the first of these was acknowledged
}

// recovered compares what a server holds after it has come back with what its client knew when the fault came. The error
// says how it is neither of: acknowledged, under way, or lost. The history then goes on from what was found.
func (k *track) recovered(reply any, fault time.Time) (loss, error) {
	v, present, err := k.found(reply)
	if err != nil {
		return loss{}, fmt.Errorf("%s %q: %w", k.name, k.key, err)
	}
	if present && !k.based {
		k.base, k.based = v-(v-k.since.UnixNano())/k.step*k.step, true
		if k.base > time.Now().UnixNano() || v <= k.base || k.unsure == 0 {
			return loss{}, fmt.Errorf("%s %q: found %d, which nobody wrote", k.name, k.key, v)
		}
	}
	var n int64
	if present {
		n = (v - k.base) / k.step
	}
	switch {
	case present && (v-k.base)%k.step != 0:
		return loss{}, fmt.Errorf("%s %q: found %d, which nobody wrote: garbage", k.name, k.key, v)
	case n > k.last+k.unsure:
		return loss{}, fmt.Errorf("%s %q: found %d writes, more than %d acknowledged and %d under way", k.name, k.key, n, k.last, k.unsure)
	case n < 0:
		return loss{}, fmt.Errorf("%s %q: found %d, less than nothing", k.name, k.key, v)
	}
	var l loss
	for i := len(k.acked) - 1; i >= 0 && k.acked[i].n > n; i-- {
		if k.acked[i].at.Before(fault) {
			l.lost++
			l.oldest = k.acked[i].at
		}
	}
	if n < k.start {
		l.lost += int(k.start - n)
		l.oldest = time.Time{} // what a recovery found has been there longer than any bound
	}
	k.start, k.last, k.unsure, k.acked = n, n, 0, k.acked[:0]
	if k.kind == tat && n == 0 {
		k.based = false
	}
	return l, nil
}

// newTracks is n keys of each kind, with names that begin with prefix.
func newTracks(p program, prefix string, n int) []*track {
	all := kinds
	if p.name == cells.name {
		all = append([]*kind{tat}, kinds...)
	}
	var tracks []*track
	for i := range n {
		for _, k := range all {
			tracks = append(tracks, &track{kind: k, key: prefix + k.name + strconv.Itoa(i), based: k != tat})
		}
	}
	return tracks
}
