package commands

import (
	"bytes"
	"strconv"

	"cellserver/internal/glob"
)

// ScanOptions are the options of SCAN, HSCAN, SSCAN and ZSCAN.
type ScanOptions struct {
	match []byte // a pattern, or nil
	Count int64  // about how many elements a call visits, at least 1
}

// defaultScanCount is the COUNT of a call without this option, as in Redis.
const defaultScanCount = 10

// Matches reports whether a name matches the pattern. Without a pattern every name does.
func (o *ScanOptions) Matches(name []byte) bool { return o.match == nil || glob.Match(o.match, name) }

// ParseScanOptions parses MATCH and COUNT. It calls other with every other word and its argument;
// other reports whether it knows the word. other may be nil.
func ParseScanOptions(args [][]byte, other func(word, arg []byte) bool) (o ScanOptions, err error) {
	o.Count = defaultScanCount
	for ; len(args) > 0; args = args[2:] {
		switch {
		case len(args) < 2:
			return o, ErrSyntax
		case Is(args[0], "count"):
			n, ok := ParseInt(args[1])
			if !ok {
				return o, ErrNotInteger
			}
			if n < 1 {
				return o, ErrSyntax
			}
			o.Count = n
		case Is(args[0], "match"):
			o.match = args[1]
			if len(o.match) == 1 && o.match[0] == '*' {
				o.match = nil // in a scan of Redis, * matches the empty name, too
			}
		case other == nil || !other(args[0], args[1]):
			return o, ErrSyntax
		}
	}
	return o, nil
}

// ErrInvalidCursor is the error of a cursor that is not an integer.
const ErrInvalidCursor Error = "ERR invalid cursor"

// ParseCursor parses a cursor as Redis does, with C's strtoul. A sign is allowed, an empty cursor
// is 0, and bytes after a NUL are ignored. Leading spaces are an error.
func ParseCursor(b []byte) (uint64, error) {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	if len(b) == 0 {
		return 0, nil
	}
	digits := b
	if b[0] == '-' || b[0] == '+' {
		digits = b[1:]
	}
	n, err := strconv.ParseUint(string(digits), 10, 64)
	switch {
	case err != nil:
		return 0, ErrInvalidCursor
	case b[0] == '-':
		return -n, nil
	}
	return n, nil
}

// ScanMembers replies to a scan of a collection with n members. scan visits about count of them from the
// cursor on, and returns the next cursor. It passes what the reply shows of the members that match to add.
func ScanMembers(c *Call, cursor uint64, n int, scan func(cursor uint64, count int, o *ScanOptions, add func(shown ...[]byte)) (next uint64)) error {
	if n == 0 { // Redis accepts wrong options for an absent key
		ReplyScan(c, 0, nil)
		return nil
	}
	o, err := ParseScanOptions(c.Args[3:], nil)
	if err != nil {
		return err
	}
	var found [][]byte
	next := scan(cursor, int(min(o.Count, int64(n))), &o, func(shown ...[]byte) {
		for _, b := range shown {
			found = append(found, bytes.Clone(b))
		}
	})
	ReplyScan(c, next, found)
	return nil
}

// CostOfScan is the [Cost] of commands that scan the collection of their first argument.
func CostOfScan(c *Call) int {
	o, err := ParseScanOptions(c.Args[3:], nil)
	if err != nil {
		return 0
	}
	e := c.Tx.Peek(c.Args[1])
	steps := StepsOfSome(&e, int(min(o.Count, int64(elementsOf(&e)))), 1)
	return steps * (1 + StepsOfBytes(len(o.match))) // a long pattern may take so long on a long element
}

// ReplyScan replies with the next cursor and the strings of the elements.
func ReplyScan(c *Call, next uint64, found [][]byte) {
	c.Out.Array(2)
	c.Out.BulkInt(int64(next))
	c.Out.Array(len(found))
	for _, b := range found {
		c.Out.Bulk(b)
	}
}
