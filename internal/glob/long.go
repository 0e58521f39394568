package glob

import (
	"bytes"
	"math"
)

// shortWork is how many bytes of a pattern a match reads before it takes 64 elements of the pattern at once. Most
// texts differ long before, and cost nothing else.
const shortWork = 1 << 14

// states is a set of states of a match, a bit each. State i has matched i elements of the pattern.
type states []uint64

func (s states) set(i int)      { s[i/64] |= 1 << (i % 64) }
func (s states) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// longPattern is a pattern whose elements match one byte each.
type longPattern struct {
	pattern []byte
	last    int         // the state that has matched all elements; MaxInt for too many groups of *
	loops   states      // a * comes next: any byte stays in the state
	accepts [256]states // the states whose next element accepts a byte; nil until a text has the byte
}

// parseLong parses a pattern.
func parseLong(p []byte) *longPattern {
	l := &longPattern{pattern: p, loops: make(states, len(p)/64+1)}
	for stars := 0; len(p) > 0; {
		if p[0] == '*' {
			l.loops.set(l.last)
			p = bytes.TrimLeft(p, "*")
			if stars++; stars > maxStars && len(p) > 0 {
				l.last = math.MaxInt
				break
			}
			continue
		}
		p, _ = matchByte(p, 0)
		l.last++
	}
	return l
}

// accepting returns the states whose next element accepts a byte.
func (l *longPattern) accepting(b byte) states {
	if l.accepts[b] != nil {
		return l.accepts[b]
	}
	accepts := make(states, len(l.loops))
	for p, i := bytes.TrimLeft(l.pattern, "*"), 0; len(p) > 0; i++ {
		rest, ok := matchByte(p, b)
		if ok {
			accepts.set(i)
		}
		p = bytes.TrimLeft(rest, "*")
	}
	l.accepts[b] = accepts
	return accepts
}

// match is [Match] for a text that is not empty. After n bytes it follows the states up to n from which the
// rest of the text can reach the last one.
func (l *longPattern) match(s []byte) bool {
	if l.last > len(s) {
		return false
	}
	now := make(states, len(l.loops))
	now.set(0)
	for n, b := range s {
		from, to := max(0, l.last-len(s)+n)/64, min(n+1, l.last)/64+1
		part, carry := now[from:to], uint64(0)
		accepts, loops := l.accepting(b)[from:to], l.loops[from:to]
		for i, w := range part {
			next := w & accepts[i]
			part[i] = next<<1 | carry | w&loops[i]
			carry = next >> 63
		}
	}
	return now.has(l.last)
}
