package glob

import "bytes"

// shortWork is how many bytes of a pattern a match reads before it takes 64 elements of the pattern at once. Most
// texts differ long before, and cost nothing else.
const shortWork = 1 << 14

// states is a set of states of a match, a bit each. State i has matched i elements of the pattern.
type states []uint64

func (s states) set(i int)      { s[i/64] |= 1 << (i % 64) }
func (s states) has(i int) bool { return i >= 0 && s[i/64]&(1<<(i%64)) != 0 }

// longPattern is a pattern whose elements match one byte each.
type longPattern struct {
	pattern []byte
	last    int         // the state that has matched all elements
	loops   states      // a * comes next: any byte stays in the state
	fails   int         // the state that has too many groups of *; -1 for none
	accepts [256]states // the states whose next element accepts a byte; nil until a text has the byte
}

// parseLong parses a pattern.
func parseLong(p []byte) *longPattern {
	l := &longPattern{pattern: p, fails: -1, loops: make(states, len(p)/64+1)}
	for stars := 0; len(p) > 0; {
		if p[0] == '*' {
			l.loops.set(l.last)
			p = bytes.TrimLeft(p, "*")
			if stars++; stars == maxStars+1 && len(p) > 0 {
				l.fails = l.last
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

// match is [Match] for a text that is not empty.
func (l *longPattern) match(s []byte) bool {
	now := make(states, len(l.loops))
	now.set(0)
	for _, b := range s {
		accepts, carry := l.accepting(b), uint64(0)
		for i, w := range now {
			next := w & accepts[i]
			now[i] = next<<1 | carry | w&l.loops[i]
			carry = next >> 63
		}
		if now.has(l.fails) {
			return false
		}
	}
	return now.has(l.last)
}
