package store

import (
	"math"

	"cellserver/store/sortedset"
)

// Sorted returns the sorted set of a key of kind Sorted, otherwise one without members. Read it only.
func (e *Entry) Sorted() SortedSet { return sortedset.Of(e.place.Collection()) }

// SortedOf returns the sorted set of an image of kind Sorted.
func SortedOf(im *Image) SortedSet { return sortedset.Of(im.Collection) }

// ZAdd gives a member of the key's sorted set its score, and makes the set if the key is absent.
// It reports whether the member is new, and whether its score has changed. ZAdd panics if the score is NaN.
func (e *Entry) ZAdd(score float64, member []byte) (added, changed bool) {
	mustBeNumber(score)
	return e.Change(sortedset.Add, Operands{Score: score, Value: member})
}

// ZRem removes a member of the key's sorted set, and the key with its last member. It reports
// whether the member was there.
func (e *Entry) ZRem(member []byte) bool {
	if e.Kind() != Sorted {
		return false
	}
	_, changed := e.Change(sortedset.Delete, Operands{Value: member})
	return changed
}

// ZRemRange removes the items of ranks from … to-1 and returns their number.
func (e *Entry) ZRemRange(from, to int) int {
	if from >= to || e.Kind() != Sorted {
		return 0
	}
	c := e.place.Writable()
	before := c.Bytes()
	var members []byte // the effects refer to them, so a full room stays, and another one follows
	c = sortedset.RemoveRange(c, from, to, func(member []byte) {
		if cap(members)-len(members) < len(member) {
			members = make([]byte, 0, max(24*min(to-from, 128), len(member)))
		}
		f, n := e.record(OpChange), len(members)
		members = append(members, member...)
		f.Change, f.Value = sortedset.Delete, members[n:len(members):len(members)]
	})
	e.place.Replace(c, before)
	e.removeIfEmpty(c)
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
	e.SetCollection(sortedset.NewOf(items, e.tx.s.limits.Load()), NoExpiry)
}

// mustBeNumber panics if the score is NaN, which has no place in an order.
func mustBeNumber(score float64) {
	if math.IsNaN(score) {
		panic("store: a score that is not a number")
	}
}
