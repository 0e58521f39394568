package sortedset

import (
	"unsafe"

	"cellserver/store/packed"
	"cellserver/store/value"
)

// Item is one member of a sorted set with its score.
type Item struct {
	Score  float64
	Member string
}

// less orders items by score, and equal scores by the bytes of the member.
func less(a, b Item) bool {
	if a.Score != b.Score {
		return a.Score < b.Score
	}
	return a.Member < b.Member
}

func compareItems(a, b Item) int {
	switch {
	case less(a, b):
		return -1
	case less(b, a):
		return 1
	}
	return 0
}

// Set is a sorted set of either form, to be read. Its members are in the order of their scores, and those of
// equal scores in the order of their bytes. Every range by rank, score or member is an interval of ranks.
// The zero Set has no members.
type Set struct {
	small *small
	large *large
}

// Of returns the sorted set that a collection is, without members if it is nil or of another type.
func Of(c value.Collection) (z Set) {
	switch c := c.(type) {
	case *small:
		z.small = c
	case *large:
		z.large = c
	}
	return z
}

// Len returns the number of members.
func (z Set) Len() int {
	switch {
	case z.small != nil:
		return z.small.Len()
	case z.large != nil:
		return z.large.Len()
	}
	return 0
}

// Seek returns about how many steps of 0.1 µs it takes to find a member.
func (z Set) Seek() int {
	if z.small != nil {
		return z.small.Seek()
	}
	return 2
}

// Compact reports whether the set has its compact form, or no members.
func (z Set) Compact() bool { return z.large == nil }

// Score returns the score of a member, and whether the member is there.
func (z Set) Score(member []byte) (score float64, ok bool) {
	switch {
	case z.small != nil:
		return z.small.score(member)
	case z.large != nil:
		return z.large.scoreOf(borrow(member))
	}
	return 0, false
}

// Rank returns the number of items before the member, and whether the member is there.
func (z Set) Rank(member []byte) (rank int, ok bool) {
	switch {
	case z.small != nil:
		return z.small.rank(member)
	case z.large != nil:
		return z.large.rank(borrow(member))
	}
	return 0, false
}

// Cursor reads the items of a set one by one. It remembers the place of the last one. So the items behind it
// are near, and those before it are as far away as they are from the first one. It is valid until the set
// changes.
type Cursor struct {
	Set
	pairs  packed.Pairs
	rank   int // of the pair
	member []byte
}

// Cursor returns a cursor.
func (z Set) Cursor() (c Cursor) {
	if c.Set = z; z.small != nil {
		c.pairs = z.small.PairAt(0)
	}
	return c
}

// Item returns the item of a rank, 0 ≤ rank < Len. The member is valid until the next call.
func (c *Cursor) Item(rank int) (score float64, member []byte) {
	if c.large != nil {
		it := c.large.at(rank)
		return it.Score, bytesOf(it.Member)
	}
	if rank < c.rank {
		c.pairs, c.rank = c.small.PairAt(0), 0
	}
	c.pairs.Skip(rank - c.rank)
	c.rank = rank
	return c.pairs.Number(), c.pairs.First(&c.member)
}

// At returns the item of a rank, 0 ≤ rank < Len. Without a text the member is the decimal form of `number`.
func (z Set) At(rank int) (score float64, number int64, text []byte, isText bool) {
	if z.large != nil {
		it := z.large.at(rank)
		return it.Score, 0, bytesOf(it.Member), true
	}
	p := z.small.PairAt(rank)
	if number, ok := p.Integer(); ok {
		return p.Number(), number, nil, false
	}
	return p.Number(), 0, p.First(nil), true
}

// ScoreAt returns the score of the item of a rank, 0 ≤ rank < Len.
func (z Set) ScoreAt(rank int) float64 {
	if z.large != nil {
		return z.large.at(rank).Score
	}
	p := z.small.PairAt(rank)
	return p.Number()
}

// Within returns the ranks lo to hi-1 of the items whose scores are from low to high. A range that is open at
// an end does not have the score of that end.
func (z Set) Within(low, high float64, lowOpen, highOpen bool) (lo, hi int) {
	switch {
	case z.large != nil:
		lo = z.large.search(func(it Item) bool { return it.Score > low || it.Score == low && !lowOpen })
		hi = z.large.search(func(it Item) bool { return it.Score > high || it.Score == high && highOpen })
		return lo, max(lo, hi)
	case z.small != nil:
		return z.small.within(low, high, lowOpen, highOpen)
	}
	return 0, 0
}

// Search returns the lowest rank whose item satisfies reached, or Len if no item does. If reached holds for
// an item, it must hold for every later item.
func (z Set) Search(reached func(score float64, member []byte) bool) int {
	if z.large != nil {
		return z.large.search(func(it Item) bool { return reached(it.Score, bytesOf(it.Member)) })
	}
	rank := 0
	z.Range(0, z.Len(), false, func(score float64, member []byte) bool {
		if reached(score, member) {
			return false
		}
		rank++
		return true
	})
	return rank
}

// Range calls f for the items of ranks from … to-1, until f returns false. The order is ascending, or
// descending if reverse is true. A member is valid until f returns. f must not change the set.
func (z Set) Range(from, to int, reverse bool, f func(score float64, member []byte) bool) {
	switch {
	case from >= to:
	case z.large != nil:
		z.large.eachOf(from, to, reverse, func(it Item) bool { return f(it.Score, bytesOf(it.Member)) })
	default:
		z.small.eachOf(from, to, reverse, f)
	}
}

// Draft returns a copy that changes independently. It is valid until the receiver changes. A large set takes
// no longer to copy than a small one.
func (z Set) Draft() value.Collection {
	if z.large != nil {
		return z.large.draft()
	}
	return z.small.Clone()
}

// borrow returns the bytes as a string for a lookup, which must not keep it.
func borrow(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf returns the string's own bytes, which must not be changed.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
