package faults

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"cellserver/resp/resptest"
)

// A kind is a way to write a key whose value counts the writes. So one read tells which writes
// are there. The value after n writes is base + n × step.
type kind struct {
	name    string
	step    int64
	request func(key string, n int64) []byte // the commands of the n-th write
	replies int                              // the number of their replies; the last one has the value
	value   func(reply any, n int64) (int64, error)
	read    func(key string) []byte // commands with one reply
	found   func(reply any) (value int64, present bool, err error)
}

// interval is the emission interval of throttle keys in these tests. It is so long that no TAT passes.
const interval = int64(time.Hour)

// kinds are the kinds that every server has. Only cellserver has throttle keys.
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

// padding makes the values of text keys long, so that cuts fall into them.
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

// pair counts two keys in one transaction: they are always equal. The keys are in different partitions.
var pair = &kind{
	name: "pair", step: 1, replies: 4,
	request: func(key string, _ int64) []byte {
		return group(resptest.Command("INCR", key), resptest.Command("INCR", "other "+key))
	},
	value: func(reply any, _ int64) (int64, error) {
		second, err := element(reply, 1, 2)
		if first, _ := element(reply, 0, 2); err == nil && first != second {
			err = fmt.Errorf("a pair differs: %d and %d", first, second)
		}
		return second, err
	},
	read: func(key string) []byte { return resptest.Command("MGET", key, "other "+key) },
	found: func(reply any) (int64, bool, error) {
		both, ok := reply.([]any)
		if !ok || len(both) != 2 || both[0] != both[1] {
			return 0, true, fmt.Errorf("a pair differs: %v", reply)
		}
		return one(both[0])
	},
}

// group returns a transaction of two commands.
func group(first, second []byte) []byte {
	b := resptest.Command("MULTI")
	b = append(append(b, first...), second...)
	return append(b, resptest.Command("EXEC")...)
}

// element returns an integer in a reply of n elements.
func element(reply any, i, n int) (int64, error) {
	all, ok := reply.([]any)
	if !ok || len(all) != n {
		return 0, fmt.Errorf("%v", reply)
	}
	return integer(all[i])
}

// one returns the number that a key holds, if the key exists.
func one(reply any) (value int64, present bool, err error) {
	if _, ok := reply.(resptest.Nil); ok {
		return 0, false, nil
	}
	value, err = integer(reply)
	return value, true, err
}

// A track is what the only client of a key knows about the key since the last recovery.
type track struct {
	*kind
	key     string
	base    int64     // of the kind's formula
	based   bool      // base is known: that of a throttle key follows from its first reply
	since   time.Time // when the first write of a key without base was sent
	start   int64     // the number of writes that the last recovery found
	last    int64     // the number of the last acknowledged write, or start
	acked   []ack     // in order
	unsure  int64     // the number of writes sent after that one: each may have happened
	refused int       // the number of writes whose reply was an error
}

// An ack is an acknowledged write.
type ack struct {
	n  int64
	at time.Time
}

// next returns the number of the next write, if all writes before it have happened.
func (k *track) next() int64 { return k.last + k.unsure + 1 }

// sent counts a write that was sent.
func (k *track) sent(now time.Time) {
	if !k.based && k.unsure == 0 {
		k.since = now
	}
	k.unsure++
}

// answered takes the reply to write n. Later writes may have been sent already.
// A write whose reply is an error may have happened. A reply that skips or repeats a number is a fault.
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
		return fmt.Errorf("%s %q: replied %d as write %d, after %d with %d sent", k.name, k.key, v, n, k.last, k.unsure)
	}
	k.last, k.unsure = n, later
	k.acked = append(k.acked, ack{n, now})
	return nil
}

// A loss is what a recovery has lost.
type loss struct {
	lost   int       // acknowledged writes
	oldest time.Time // when the oldest of them was acknowledged
}

// recovered compares the value after a recovery with what the client knew at the fault. The error
// says why the value is impossible. The history then continues with the value.
func (k *track) recovered(reply any, fault time.Time) (loss, error) {
	v, present, err := k.found(reply)
	if err != nil {
		return loss{}, fmt.Errorf("%s %q: %w", k.name, k.key, err)
	}
	if present && !k.based {
		k.base, k.based = v-(v-k.since.UnixNano())/k.step*k.step, true
		if k.base > time.Now().UnixNano() || v <= k.base || k.unsure == 0 {
			return loss{}, fmt.Errorf("%s %q: found %d, which no client wrote", k.name, k.key, v)
		}
	}
	var n int64
	if present {
		n = (v - k.base) / k.step
	}
	switch {
	case present && (v-k.base)%k.step != 0:
		return loss{}, fmt.Errorf("%s %q: found %d, which no client wrote: garbage", k.name, k.key, v)
	case n > k.last+k.unsure:
		return loss{}, fmt.Errorf("%s %q: found %d writes, more than %d acknowledged and %d sent", k.name, k.key, n, k.last, k.unsure)
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
		l.oldest = time.Time{} // a write that an earlier recovery found is older than any bound
	}
	k.start, k.last, k.unsure, k.acked = n, n, 0, k.acked[:0]
	if k.kind == tat && n == 0 {
		k.based = false
	}
	return l, nil
}

// newTracks returns n keys of each kind, with names that begin with prefix.
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
