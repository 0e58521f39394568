package lua51

import "strings"

// The bounds on a pattern.
const (
	maxCaptures = 32
	maxDepth    = 10000 // of matches within matches
)

// The lengths of captures that are no text.
const (
	captureUnfinished = -1
	capturePosition   = -2
)

// A Capture is a part of the subject: the text from Start to End. A position capture () has no text:
// IsPosition is set and the position counts from 1.
type Capture struct {
	Start, End int
	IsPosition bool
}

// A Matcher matches one pattern against one subject. It calls Step for every step of the match. The caller
// can end a match that takes too long with a panic in Step.
type Matcher struct {
	Subject, Pattern string
	Step             func()

	depth    int
	level    int
	captures [maxCaptures]struct{ start, length int }
}

// A PatternError is a pattern that Lua refuses, in the words of Lua.
type PatternError string

// Error returns the text of Lua.
func (e PatternError) Error() string { return string(e) }

// UntilZero returns a pattern as C reads it: a zero byte ends it.
func UntilZero(pattern string) string {
	text, _, _ := strings.Cut(pattern, "\x00")
	return text
}

// Match matches the pattern at a position of the subject, from a position of the pattern on. It returns the
// end of the match, or -1. It panics with a PatternError if the pattern is wrong.
func (m *Matcher) Match(at, pattern int) (end int) {
	m.level, m.depth = 0, 0
	return m.match(at, pattern)
}

func (m *Matcher) match(s, p int) int {
	if m.depth++; m.depth > maxDepth {
		panic(PatternError("pattern too complex"))
	}
	end, done := s, false
	for !done {
		m.Step()
		s, p, end, done = m.step(s, p)
	}
	m.depth--
	return end
}

// step matches one item. Unless it is done, the match goes on at s and p.
func (m *Matcher) step(s, p int) (nextS, nextP, end int, done bool) {
	if p == len(m.Pattern) {
		return 0, 0, s, true
	}
	switch m.Pattern[p] {
	case '(':
		if p+1 < len(m.Pattern) && m.Pattern[p+1] == ')' {
			return 0, 0, m.startCapture(s, p+2, capturePosition), true
		}
		return 0, 0, m.startCapture(s, p+1, captureUnfinished), true
	case ')':
		return 0, 0, m.endCapture(s, p+1), true
	case '%':
		if nextS, nextP, end, done, special := m.escape(s, p); special {
			return nextS, nextP, end, done
		}
	case '$':
		if p+1 == len(m.Pattern) {
			if s == len(m.Subject) {
				return 0, 0, s, true
			}
			return 0, 0, -1, true
		}
	}
	return m.item(s, p)
}

// escape matches %b, %f and back references.
func (m *Matcher) escape(s, p int) (nextS, nextP, end int, done, special bool) {
	if p+1 == len(m.Pattern) {
		return 0, 0, 0, false, false
	}
	switch c := m.Pattern[p+1]; {
	case c == 'b':
		if s = m.balance(s, p+2); s < 0 {
			return 0, 0, -1, true, true
		}
		return s, p + 4, 0, false, true
	case c == 'f':
		s, p = m.frontier(s, p+2)
		return s, p, -1, s < 0, true
	case isDigit(c):
		if s = m.backReference(s, c); s < 0 {
			return 0, 0, -1, true, true
		}
		return s, p + 2, 0, false, true
	}
	return 0, 0, 0, false, false
}

// item matches a single character with its repetition.
func (m *Matcher) item(s, p int) (nextS, nextP, end int, done bool) {
	next := m.classEnd(p)
	matches := s < len(m.Subject) && m.single(m.Subject[s], p, next)
	repeat := byte(0)
	if next < len(m.Pattern) {
		repeat = m.Pattern[next]
	}
	switch repeat {
	case '?':
		if matches {
			if end := m.match(s+1, next+1); end >= 0 {
				return 0, 0, end, true
			}
		}
		return s, next + 1, 0, false
	case '*':
		return 0, 0, m.maxExpand(s, p, next), true
	case '+':
		if !matches {
			return 0, 0, -1, true
		}
		return 0, 0, m.maxExpand(s+1, p, next), true
	case '-':
		return 0, 0, m.minExpand(s, p, next), true
	}
	if !matches {
		return 0, 0, -1, true
	}
	return s + 1, next, 0, false
}

func (m *Matcher) maxExpand(s, p, next int) int {
	i := 0
	for s+i < len(m.Subject) && m.single(m.Subject[s+i], p, next) {
		m.Step()
		i++
	}
	for ; i >= 0; i-- {
		if end := m.match(s+i, next+1); end >= 0 {
			return end
		}
	}
	return -1
}

func (m *Matcher) minExpand(s, p, next int) int {
	for {
		if end := m.match(s, next+1); end >= 0 {
			return end
		}
		if s >= len(m.Subject) || !m.single(m.Subject[s], p, next) {
			return -1
		}
		s++
	}
}

func (m *Matcher) startCapture(s, p, what int) int {
	if m.level >= maxCaptures {
		panic(PatternError("too many captures"))
	}
	m.captures[m.level].start, m.captures[m.level].length = s, what
	m.level++
	end := m.match(s, p)
	if end < 0 {
		m.level--
	}
	return end
}

func (m *Matcher) endCapture(s, p int) int {
	open := m.level - 1
	for open >= 0 && m.captures[open].length != captureUnfinished {
		open--
	}
	if open < 0 {
		panic(PatternError("invalid pattern capture"))
	}
	m.captures[open].length = s - m.captures[open].start
	end := m.match(s, p)
	if end < 0 {
		m.captures[open].length = captureUnfinished
	}
	return end
}

func (m *Matcher) balance(s, p int) int {
	if p+1 >= len(m.Pattern) {
		panic(PatternError("unbalanced pattern"))
	}
	if s >= len(m.Subject) || m.Subject[s] != m.Pattern[p] {
		return -1
	}
	opening, closing, open := m.Pattern[p], m.Pattern[p+1], 1
	for s++; s < len(m.Subject); s++ {
		m.Step()
		switch m.Subject[s] {
		case closing:
			if open--; open == 0 {
				return s + 1
			}
		case opening:
			open++
		}
	}
	return -1
}

func (m *Matcher) frontier(s, p int) (nextS, nextP int) {
	if p == len(m.Pattern) || m.Pattern[p] != '[' {
		panic(PatternError("missing '[' after '%f' in pattern"))
	}
	next := m.classEnd(p)
	var before, at byte
	if s > 0 {
		before = m.Subject[s-1]
	}
	if s < len(m.Subject) {
		at = m.Subject[s]
	}
	if m.set(before, p, next-1) || !m.set(at, p, next-1) {
		return -1, 0
	}
	return s, next
}

func (m *Matcher) backReference(s int, digit byte) int {
	i := int(digit) - '1'
	if i < 0 || i >= m.level || m.captures[i].length == captureUnfinished {
		panic(PatternError("invalid capture index"))
	}
	c := m.captures[i]
	length := max(c.length, 0)
	if len(m.Subject)-s < length || m.Subject[c.start:c.start+length] != m.Subject[s:s+length] {
		return -1
	}
	return s + length
}

// Captures returns how many captures the last match has. A match without captures has one, if whole is set:
// all of it.
func (m *Matcher) Captures(whole bool) int {
	if m.level == 0 && whole {
		return 1
	}
	return m.level
}

// Capture returns a capture of a match that reaches from start to end.
func (m *Matcher) Capture(i, start, end int) Capture {
	if i >= m.level {
		if i > 0 {
			panic(PatternError("invalid capture index"))
		}
		return Capture{Start: start, End: end}
	}
	c := m.captures[i]
	switch c.length {
	case captureUnfinished:
		panic(PatternError("unfinished capture"))
	case capturePosition:
		return Capture{Start: c.start + 1, IsPosition: true}
	}
	return Capture{Start: c.start, End: c.start + c.length}
}
