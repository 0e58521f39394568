package sortedsets

import (
	"bytes"

	"cellserver/commands"
	"cellserver/store"
)

// interval returns the ranks lo to hi-1 of a range of a sorted set; lo = hi if the range is empty.
// Ranges of ranks, scores and members all have this form.
type interval func(z store.SortedSet) (lo, hi int)

// parseInterval parses both ends of a range: byRank, byScore or byLex.
type parseInterval func(first, last []byte) (interval, error)

const (
	errMinMaxFloat commands.Error = "ERR min or max is not a float"
	errMinMaxLex   commands.Error = "ERR min or max not valid string range item"
)

// byRank parses a range of ranks, both ends included. Negative ranks count from the end.
func byRank(first, last []byte) (interval, error) {
	start, ok := commands.ParseInt(first)
	stop, ok2 := commands.ParseInt(last)
	if !ok || !ok2 {
		return nil, commands.ErrNotInteger
	}
	return func(z store.SortedSet) (int, int) {
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

// byScore parses a range of scores, such as "1.5", "-inf" and "+inf". "(1.5" excludes 1.5 itself.
func byScore(first, last []byte) (interval, error) {
	low, lowOpen, ok := scoreBound(first)
	high, highOpen, ok2 := scoreBound(last)
	if !ok || !ok2 {
		return nil, errMinMaxFloat
	}
	return func(z store.SortedSet) (int, int) { return z.Within(low, high, lowOpen, highOpen) }, nil
}

func scoreBound(b []byte) (bound float64, open, ok bool) {
	if len(b) > 0 && b[0] == '(' {
		b, open = b[1:], true
	}
	bound, ok = commands.ParseBound(b)
	return bound, open, ok
}

// byLex parses a range of members: "[a", "(a" without a itself, "-" for the start and "+" for the
// end. The result is undefined if the scores of the set differ.
func byLex(first, last []byte) (interval, error) {
	low, ok := parseLexBound(first)
	high, ok2 := parseLexBound(last)
	if !ok || !ok2 {
		return nil, errMinMaxLex
	}
	return func(z store.SortedSet) (int, int) {
		lo := z.Search(func(_ float64, member []byte) bool { return low.below(member, !low.open) })
		hi := z.Search(func(_ float64, member []byte) bool { return high.below(member, high.open) })
		return ordered(lo, hi)
	}, nil
}

// lexBound is one end of a range of members.
type lexBound struct {
	member  []byte
	open    bool // the range excludes the member
	extreme byte // '-' for the start, '+' for the end, 0 for a member
}

func parseLexBound(b []byte) (l lexBound, ok bool) {
	if len(b) == 0 {
		return l, false
	}
	switch b[0] {
	case '-', '+':
		return lexBound{extreme: b[0]}, len(b) == 1 || b[1] == 0
	case '(', '[':
		return lexBound{member: b[1:], open: b[0] == '('}, true
	}
	return l, false
}

// below reports whether the bound is before a member. With orAt, a bound at the member counts, too.
func (l *lexBound) below(member []byte, orAt bool) bool {
	switch l.extreme {
	case '-':
		return true
	case '+':
		return false
	}
	order := bytes.Compare(l.member, member)
	return order < 0 || orAt && order == 0
}

// limitRange reduces a range to count items after the first offset items, in the given direction. A
// negative count means all items. With a negative offset the range is empty.
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

// ordered returns an empty range if the range ends before it begins.
func ordered(lo, hi int) (int, int) { return lo, max(lo, hi) }
