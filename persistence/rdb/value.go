package rdb

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"cellserver/internal/decimal"
	"cellserver/store"
)

// Value is what a key holds. What it points to is borrowed: it holds until more is read.
type Value struct {
	Kind  store.Kind   // Int, Raw or Sorted; None for what was left out
	Int   int64        // the integer, of kind Int
	Bytes []byte       // the string, of kind Raw
	Items []store.Item // of kind Sorted, in no certain order; each member once
}

// Put makes an entry hold the value, whatever it held before, until expireAt (Unix
// milliseconds, or store.NoExpiry).
func (v *Value) Put(e *store.Entry, expireAt int64) {
	switch v.Kind {
	case store.Int:
		e.SetInt(v.Int, expireAt)
	case store.Raw:
		e.SetBytes(v.Bytes, expireAt)
	case store.Sorted:
		e.ZStore(v.Items)
		if expireAt != store.NoExpiry {
			e.SetExpiry(expireAt)
		}
	}
}

// holds reports whether values of a type are read, rather than left out.
func holds(kind byte) bool {
	switch kind {
	case typeString, typeSortedText, typeSorted, typeZiplist, typeListpack:
		return true
	}
	return false
}

// value reads a value of a type that is held.
func (s *source) value(kind byte, v *Value) (err error) {
	*v = Value{Items: v.Items[:0]}
	from := s.offset()
	switch kind {
	case typeString:
		return s.stringValue(v)
	case typeSorted:
		err = s.sortedSet(v, (*source).binaryScore)
	case typeSortedText:
		err = s.sortedSet(v, (*source).textScore)
	case typeListpack:
		err = s.packedSet(v, newListpack)
	case typeZiplist:
		err = s.packedSet(v, newZiplist)
	}
	if err != nil {
		return err
	}
	v.Kind = store.Sorted
	if member, twice := repeated(v.Items); twice {
		return fault(from, "a sorted set that has each member once", "%.64q twice", member)
	}
	return nil
}

func (s *source) stringValue(v *Value) error {
	b, err := s.text("a string")
	if err != nil {
		return err
	}
	if n, ok := decimal.Parse(b); ok {
		v.Kind, v.Int = store.Int, n
	} else {
		v.Kind, v.Bytes = store.Raw, b
	}
	return nil
}

func (s *source) sortedSet(v *Value, score func(*source) (float64, error)) error {
	n, err := s.length("the number of members")
	for ; err == nil && n > 0; n-- {
		var b []byte
		if b, err = s.text("a member"); err != nil {
			break
		}
		it := store.Item{Member: string(b)}
		it.Score, err = score(s)
		v.Items = append(v.Items, it)
	}
	return err
}

func (s *source) binaryScore() (float64, error) {
	from := s.offset()
	b, err := s.take(8, "a score")
	if err != nil {
		return 0, err
	}
	f := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if math.IsNaN(f) {
		return 0, fault(from, "a score", "NaN")
	}
	return f, nil
}

// The lengths that stand for a score of their own where scores are text.
const (
	textNaN     = 253
	textInf     = 254
	textNegInf  = 255
	longestText = 128 // Redis reads no more of a score, and never writes as much
)

func (s *source) textScore() (float64, error) {
	from := s.offset()
	n, err := s.byte("a score")
	if err != nil {
		return 0, err
	}
	switch n {
	case textInf:
		return math.Inf(1), nil
	case textNegInf:
		return math.Inf(-1), nil
	case textNaN:
		return 0, fault(from, "a score", "NaN")
	}
	b, err := s.take(uint64(n), "a score")
	if err != nil {
		return 0, err
	}
	f, ok := parseScore(b)
	if !ok {
		return 0, fault(from, "a score", "%.64q", b)
	}
	return f, nil
}

// parseScore parses a score as Redis prints them, the infinite ones included.
func parseScore(b []byte) (float64, bool) {
	if len(b) > longestText || bytes.IndexByte(b, '_') >= 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil && !math.IsNaN(f)
}

// packedSet reads a sorted set that is a packed list of members, each before its score.
func (s *source) packedSet(v *Value, open func([]byte) packed) error {
	from := s.offset()
	b, err := s.text("a packed sorted set")
	if err != nil {
		return err
	}
	list := open(b)
	isScore := false
	var scratch [20]byte
	at, expected := list.each(func(e element) string {
		isScore = !isScore
		if isScore {
			v.Items = append(v.Items, store.Item{Member: string(e.appendTo(scratch[:0]))})
			return ""
		}
		score := &v.Items[len(v.Items)-1].Score
		if e.text == nil {
			*score = float64(e.n)
			return ""
		}
		var ok bool
		if *score, ok = parseScore(e.text); !ok {
			return "a score"
		}
		return ""
	})
	if expected == "" && isScore {
		at, expected = len(b)-1, "a score after the last member"
	}
	if expected != "" {
		return fault(from, expected+" "+strconv.Itoa(at)+" bytes into it", "other bytes")
	}
	return nil
}

// fewItems are so few that comparing each with each is faster than a map.
const fewItems = 16

// repeated looks for a member that items have twice.
func repeated(items []store.Item) (member string, found bool) {
	if len(items) <= fewItems {
		for i, it := range items {
			for _, other := range items[:i] {
				if it.Member == other.Member {
					return it.Member, true
				}
			}
		}
		return "", false
	}
	seen := make(map[string]struct{}, len(items))
	for _, it := range items {
		if _, found := seen[it.Member]; found {
			return it.Member, true
		}
		seen[it.Member] = struct{}{}
	}
	return "", false
}
