package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// interval finds the ranks lo … hi-1 that a range of a sorted set covers; lo = hi when
// that is none. Every range, whatever it is by, is one of these.
type interval func(z *store.SortedSet) (lo, hi int)

// parseInterval parses both ends of a range in one of the three ways to give them.
type parseInterval func(first, last []byte) (interval, error)

const (
	errMinMaxFloat commands.Error = "ERR min or max is not a float"
	errMinMaxLex   commands.Error = "ERR min or max not valid string range item"
)

// byRank parses ranks, the last one included; negative ones count from the end.
func byRank(first, last []byte) (interval, error) {
	start, ok := commands.ParseInt(first)
	stop, ok2 := commands.ParseInt(last)
	if !ok || !ok2 {
		return nil, commands.ErrNotInteger
	}
	return func(z *store.SortedSet) (int, int) {
		n := int64(z.Len())
		from, to := start, stop
		if from < 0 {
			from = max(from+n, 0)
		}
		if to < 0 {
			to += n
		}
		return ordered(int(min(from, n)), int(min(to, n-1)+1))
	}, nil
}

// byScore parses scores: "1.5", "(1.5" without 1.5 itself, "-inf", "+inf".
func byScore(first, last []byte) (interval, error) {
	low, lowOpen, ok := scoreBound(first)
	high, highOpen, ok2 := scoreBound(last)
	if !ok || !ok2 {
		return nil, errMinMaxFloat
	}
	return func(z *store.SortedSet) (int, int) {
		lo := z.Search(func(it store.Item) bool { return it.Score > low || it.Score == low && !lowOpen })
		hi := z.Search(func(it store.Item) bool { return it.Score > high || it.Score == high && highOpen })
		return ordered(lo, hi)
	}, nil
}

func scoreBound(b []byte) (bound float64, open, ok bool) {
	if len(b) > 0 && b[0] == '(' {
		b, open = b[1:], true
	}
	bound, ok = commands.ParseBound(b)
	return bound, open, ok
}

// byLex parses members: "[a", "(a" without a itself, "-" before and "+" after all. In a
// set whose scores are not all the same such a range means nothing in particular.
func byLex(first, last []byte) (interval, error) {
	low, ok := parseLexBound(first)
	high, ok2 := parseLexBound(last)
	if !ok || !ok2 {
		return nil, errMinMaxLex
	}
	return func(z *store.SortedSet) (int, int) {
		lo := z.Search(func(it store.Item) bool { return low.below(it.Member, !low.open) })
		hi := z.Search(func(it store.Item) bool { return high.below(it.Member, high.open) })
		return ordered(lo, hi)
	}, nil
}

// lexBound is one end of a range of members.
type lexBound struct {
	member  string
	open    bool // the member itself is outside
	extreme byte // '-' or '+': before or after every member; 0 otherwise
}

func parseLexBound(b []byte) (l lexBound, ok bool) {
	if len(b) == 0 {
		return l, false
	}
	switch b[0] {
	case '-', '+':
		return lexBound{extreme: b[0]}, len(b) == 1 || b[1] == 0
	case '(', '[':
		return lexBound{member: string(b[1:]), open: b[0] == '('}, true
	}
	return l, false
}

// below reports whether the bound is before a member, or with orAt at it.
func (l *lexBound) below(member string, orAt bool) bool {
	switch l.extreme {
	case '-':
		return true
	case '+':
		return false
	}
	return l.member < member || orAt && l.member == member
}

// limitRange narrows an interval to count items after the first offset ones, in the given
// direction. A negative count is all of them; after a negative offset there are none.
func limitRange(lo, hi int, reverse bool, offset, count int64) (int, int) {
	n := int64(hi - lo)
	if offset < 0 || offset >= n {
		return lo, lo
	}
	take := n - offset
	if count >= 0 {
		take = min(take, count)
	}
	if reverse {
		hi -= int(offset)
		return hi - int(take), hi
	}
	lo += int(offset)
	return lo, lo + int(take)
}

// ordered makes an interval that ends before it begins an empty one.
func ordered(lo, hi int) (int, int) { return lo, max(lo, hi) }
