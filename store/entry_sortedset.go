package store

import (
	"math"
	"unsafe"

	"cellserver/store/sortedset"
)

// Sorted returns the sorted set of a key of kind Sorted, otherwise nil. Read it only: ZAdd and
// ZRem change it.
func (e *Entry) Sorted() *SortedSet {
	z, _ := e.place.Collection().(*SortedSet)
	return z
}

func (e *Entry) setLimits() sortedset.Limits { return sortedset.LimitsOf(e.tx.s.limits.Load()) }

// writableSorted is Sorted for a set that is about to change.
func (e *Entry) writableSorted() *SortedSet {
	if e.Kind() != Sorted {
		return nil
	}
	return e.place.Writable().(*SortedSet)
}

// ZAdd gives a member of the key's sorted set its score, and makes the set if the key is absent.
// It reports whether the member is new. If the member already has that score, there is no
// effect. ZAdd panics if the score is NaN.
func (e *Entry) ZAdd(score float64, member []byte) (added bool) {
	mustBeNumber(score)
	z := e.writableSorted()
	if z == nil {
		z = sortedset.New()
		e.setCollection(z, NoExpiry)
	}
	before := z.Bytes()
	added, changed := z.Set(score, member, e.setLimits())
	if !changed {
		return false
	}
	e.place.AddMemory(z.Bytes() - before)
	f := e.record(OpChange)
	f.Change, f.Score, f.Value = sortedset.Add, score, member
	return added
}

// ZRem removes a member of the key's sorted set, and the key with its last member. It reports
// whether the member was there.
func (e *Entry) ZRem(member []byte) bool {
	z := e.writableSorted()
	if z == nil {
		return false
	}
	before := z.Bytes()
	if !z.Remove(member) {
		return false
	}
	e.place.AddMemory(z.Bytes() - before)
	e.recordZRem(member)
	e.removeIfEmpty(z)
	return true
}

func (e *Entry) recordZRem(member []byte) {
	f := e.record(OpChange)
	f.Change, f.Value = sortedset.Delete, member
}

// ZRemRange removes the items of ranks from … to-1 and returns their number.
func (e *Entry) ZRemRange(from, to int) int {
	if from >= to {
		return 0
	}
	z := e.writableSorted()
	if z == nil {
		return 0
	}
	z.Range(from, to, false, func(it Item) bool {
		e.recordZRem(bytesOf(it.Member))
		return true
	})
	before := z.Bytes()
	z.RemoveRange(from, to)
	e.place.AddMemory(z.Bytes() - before)
	e.removeIfEmpty(z)
	return to - from
}

// ZStore makes the key hold the items as a sorted set, whatever it held before, with no expiry.
// Without items it removes the key. If a member comes twice, its last score counts. ZStore
// panics if a score is NaN.
func (e *Entry) ZStore(items []Item) {
	if len(items) == 0 {
		e.Delete()
		return
	}
	for _, it := range items {
		mustBeNumber(it.Score)
	}
	e.SetCollection(sortedset.NewOf(items, e.setLimits()), NoExpiry)
}

// mustBeNumber panics if the score is NaN, which has no place in an order.
func mustBeNumber(score float64) {
	if math.IsNaN(score) {
		panic("store: a score that is not a number")
	}
}

// bytesOf returns the string's own bytes, which must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
