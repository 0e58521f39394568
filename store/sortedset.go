package store

import (
	"sort"

	"github.com/tidwall/btree"
)

// Item is one member of a sorted set with its score.
type Item struct {
	Score  float64
	Member string
}

// less orders items by score, then by the bytes of the member.
func less(a, b Item) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return a.Member < b.Member
}

// SortedSet holds members in the order of their scores. Every range, by rank, score or
// member, is an interval of ranks ([SortedSet.Search]). It is changed only through an
// [Entry]; it is not safe for concurrent use.
type SortedSet struct {
	scores map[string]float64
	order  *btree.BTreeG[Item]
	bytes  int64
}

const itemOverhead = 96 // map entry, tree item and string header, about

func newSortedSet() *SortedSet {
	return &SortedSet{
		scores: map[string]float64{},
		order:  btree.NewBTreeGOptions(less, btree.Options{NoLocks: true}),
	}
}

// Len returns the number of members.
func (z *SortedSet) Len() int { return len(z.scores) }

// Bytes returns the memory the set takes, about.
func (z *SortedSet) Bytes() int64 { return z.bytes + 128 }

// Score returns the score of a member.
func (z *SortedSet) Score(member []byte) (float64, bool) {
	s, ok := z.scores[string(member)]
	return s, ok
}

// Rank returns the number of items before the member.
func (z *SortedSet) Rank(member []byte) (int, bool) {
	s, ok := z.Score(member)
	if !ok {
		return 0, false
	}
	it := Item{s, string(member)}
	return z.Search(func(o Item) bool { return !less(o, it) }), true
}

// At returns the item of a rank, 0 ≤ rank < Len.
func (z *SortedSet) At(rank int) Item {
	it, _ := z.order.GetAt(rank)
	return it
}

// Search returns the lowest rank whose item satisfies reached, or Len; reached must
// hold for every item after the first for which it holds.
func (z *SortedSet) Search(reached func(Item) bool) int {
	return sort.Search(z.Len(), func(i int) bool { return reached(z.At(i)) })
}

// Range calls f for the items of ranks from … to-1, in order, or in reverse from to-1
// down to from, until it returns false.
func (z *SortedSet) Range(from, to int, reverse bool, f func(Item) bool) {
	n := to - from
	if n <= 0 {
		return
	}
	step := func(it Item) bool {
		n--
		return f(it) && n > 0
	}
	if reverse {
		z.order.Descend(z.At(to-1), step)
	} else {
		z.order.Ascend(z.At(from), step)
	}
}

// set gives a member its score and reports whether it is new.
func (z *SortedSet) set(it Item) (added bool) {
	old, had := z.scores[it.Member]
	if had {
		z.order.Delete(Item{old, it.Member})
	} else {
		z.bytes += itemOverhead + int64(len(it.Member))
	}
	z.scores[it.Member] = it.Score
	z.order.Set(it)
	return !had
}

func (z *SortedSet) remove(member string) bool {
	old, had := z.scores[member]
	if had {
		delete(z.scores, member)
		z.order.Delete(Item{old, member})
		z.bytes -= itemOverhead + int64(len(member))
	}
	return had
}

// clone returns a copy that changes independently.
func (z *SortedSet) clone() *SortedSet {
	c := newSortedSet()
	z.order.Scan(func(it Item) bool {
		c.set(it)
		return true
	})
	return c
}

// ZAdd gives a member of the key's sorted set its score, and makes the set if the key
// is absent. It reports whether the member is new. Setting the score a member already
// has leaves no effect.
func (e *Entry) ZAdd(score float64, member []byte) (added bool) {
	z := e.Sorted()
	if z == nil {
		z = newSortedSet()
		e.storeValue(Sorted, value{sorted: z}, NoExpiry)
	} else if old, ok := z.Score(member); ok && old == score {
		return false
	}
	before := z.Bytes()
	added = z.set(Item{score, string(member)})
	e.t.account(z.Bytes() - before)
	e.record(Effect{Op: OpZAdd, Score: score, Value: member})
	return added
}

// ZRem removes a member of the key's sorted set, and the key with its last member. It
// reports whether the member was there.
func (e *Entry) ZRem(member []byte) bool {
	z := e.Sorted()
	if z == nil {
		return false
	}
	before := z.Bytes()
	if !z.remove(string(member)) {
		return false
	}
	e.t.account(z.Bytes() - before)
	e.record(Effect{Op: OpZRem, Value: member})
	if z.Len() == 0 {
		e.drop() // replaying the ZREM removes the key, too
	}
	return true
}

// ZRemRange removes the items of ranks from … to-1 and returns how many that were.
func (e *Entry) ZRemRange(from, to int) int {
	z := e.Sorted()
	if z == nil || from >= to {
		return 0
	}
	doomed := make([]string, 0, to-from)
	z.Range(from, to, false, func(it Item) bool {
		doomed = append(doomed, it.Member)
		return true
	})
	for _, m := range doomed {
		e.ZRem([]byte(m))
	}
	return len(doomed)
}

// ZStore makes the key hold the items as a sorted set, whatever it held before, with
// no expiry; with no items the key is removed. Of a member named twice the last counts.
func (e *Entry) ZStore(items []Item) {
	if len(items) == 0 {
		e.Delete()
		return
	}
	z := newSortedSet()
	for _, it := range items {
		z.set(it)
	}
	e.adopt(z, NoExpiry)
}

// adopt makes the key hold z.
func (e *Entry) adopt(z *SortedSet, expireAt int64) {
	e.storeValue(Sorted, value{sorted: z}, expireAt)
	e.record(Effect{Op: OpZStore, Sorted: z, At: expireAt})
}
