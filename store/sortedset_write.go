package store

import (
	"math"
	"unsafe"
)

// ZAdd gives a member of the key's sorted set its score, and makes the set if the key
// is absent. It reports whether the member is new. Setting the score a member already
// has leaves no effect. The score is a number: NaN is the caller's to refuse.
func (e *Entry) ZAdd(score float64, member []byte) (added bool) {
	mustNumber(score)
	z := e.Sorted()
	if z == nil {
		z = newSortedSet()
		e.storeValue(Sorted, value{sorted: z}, NoExpiry)
	} else {
		z = e.ownSorted(z)
	}
	before := z.Bytes()
	added, changed := z.set(score, member, *e.tx.s.compact.Load())
	if !changed {
		return false
	}
	e.t.account(z.Bytes() - before)
	f := e.record(OpZAdd)
	f.Score, f.Value = score, member
	return added
}

// ZRem removes a member of the key's sorted set, and the key with its last member. It
// reports whether the member was there.
func (e *Entry) ZRem(member []byte) bool {
	z := e.Sorted()
	if z == nil {
		return false
	}
	z = e.ownSorted(z)
	before := z.Bytes()
	if !z.remove(borrow(member)) {
		return false
	}
	e.t.account(z.Bytes() - before)
	e.record(OpZRem).Value = member
	e.dropEmpty(z)
	return true
}

// dropEmpty removes the key with its last member. That is no effect of its own:
// applying the OpZRem again does the same.
func (e *Entry) dropEmpty(z *SortedSet) {
	if z.Len() == 0 {
		e.drop()
	}
}

// ZRemRange removes the items of ranks from … to-1 and returns how many that were.
func (e *Entry) ZRemRange(from, to int) int {
	z := e.Sorted()
	if z == nil || from >= to {
		return 0
	}
	z = e.ownSorted(z)
	z.Range(from, to, false, func(it Item) bool {
		e.record(OpZRem).Value = lend(it.Member)
		return true
	})
	before := z.Bytes()
	z.removeRange(from, to)
	e.t.account(z.Bytes() - before)
	e.dropEmpty(z)
	return to - from
}

// ZStore makes the key hold the items as a sorted set, whatever it held before, with
// no expiry; with no items the key is removed. Of a member named twice the last counts.
func (e *Entry) ZStore(items []Item) {
	if len(items) == 0 {
		e.Delete()
		return
	}
	for _, it := range items {
		mustNumber(it.Score)
	}
	e.adopt(newSortedSetOf(items, *e.tx.s.compact.Load()), NoExpiry)
}

// adopt makes the key hold z.
func (e *Entry) adopt(z *SortedSet, expireAt int64) {
	e.storeValue(Sorted, value{sorted: z}, expireAt)
	f := e.record(OpReplace)
	f.Sorted, f.At = z, expireAt
}

// mustNumber stops NaN, which has no place in an order and would corrupt it.
func mustNumber(score float64) {
	if math.IsNaN(score) {
		panic("store: a score that is not a number")
	}
}

// borrow returns the bytes as a string for a lookup: it must not be kept.
func borrow(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// lend returns the string's own bytes: they must not be changed.
func lend(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
