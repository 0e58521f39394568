package rdb

import (
	"bytes"
	"math"
	"strconv"

	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// The type bytes of sorted sets, in the order in which versions of Redis introduced them.
const (
	typeSortedText     = 3 // scores as text
	typeSorted         = 5 // scores as doubles
	typeSortedZiplist  = 12
	typeSortedListpack = 17
)

// sortedSetCodec keeps sorted sets.
var sortedSetCodec = codec{
	name:      "sorted set",
	kinds:     []store.Kind{store.Sorted},
	writes:    typeSorted,
	newWriter: newSortedSetWriter,
	reads: map[byte]readFunc{
		typeSortedText:     func(d *encoding.Decoder, v *Value) error { return readSortedSet(d, v, textScore) },
		typeSorted:         func(d *encoding.Decoder, v *Value) error { return readSortedSet(d, v, binaryScore) },
		typeSortedZiplist:  func(d *encoding.Decoder, v *Value) error { return readPackedSortedSet(d, v, encoding.Ziplist) },
		typeSortedListpack: func(d *encoding.Decoder, v *Value) error { return readPackedSortedSet(d, v, encoding.Listpack) },
	},
	empty: func(v *Value) bool { return len(v.Items) == 0 },
	put:   putSortedSet,
}

// newSortedSetWriter writes items from the last to the first, as Redis does: Redis inserts
// each item that it reads at the head of its list.
func newSortedSetWriter(e *encoding.Encoder) func(*store.Image) {
	item := func(score float64, member []byte) bool {
		e.Text(member)
		e.Double(score)
		return e.FlushChunk() == nil
	}
	return func(im *store.Image) {
		z := store.SortedOf(im)
		e.Length(uint64(z.Len()))
		z.Range(0, z.Len(), true, item)
	}
}

func putSortedSet(v *Value, e *store.Entry, expireAt int64) {
	e.ZStore(v.Items)
	if expireAt != store.NoExpiry {
		e.SetExpiry(expireAt)
	}
}

// readSortedSet reads members, each followed by its score.
func readSortedSet(d *encoding.Decoder, v *Value, score func(*encoding.Decoder) (float64, error)) error {
	from := d.Offset()
	n, err := d.Length("the number of members")
	for ; err == nil && n > 0; n-- {
		var b []byte
		if b, err = d.Text("a member"); err != nil {
			break
		}
		it := store.Item{Member: string(b)}
		it.Score, err = score(d)
		v.Items = append(v.Items, it)
	}
	if err != nil {
		return err
	}
	return completeSortedSet(v, from)
}

// completeSortedSet ends the reading of a sorted set that begins at an offset.
func completeSortedSet(v *Value, from int64) error {
	v.Kind = store.Sorted
	if member, found := duplicateMember(v.Items); found {
		return encoding.Errorf(from, "a sorted set that has each member once", "%.64q twice", member)
	}
	return nil
}

func binaryScore(d *encoding.Decoder) (float64, error) { return d.Double("a score") }

// A score as text begins with its length in one byte. The three largest lengths stand for scores without a
// text.
const (
	textNaN         = 253
	textPositiveInf = 254
	textNegativeInf = 255
	maxTextScore    = 128 // Redis never writes a longer text and reads no more of it
)

func textScore(d *encoding.Decoder) (float64, error) {
	from := d.Offset()
	n, err := d.Byte("a score")
	if err != nil {
		return 0, err
	}
	switch n {
	case textPositiveInf:
		return math.Inf(1), nil
	case textNegativeInf:
		return math.Inf(-1), nil
	case textNaN:
		return 0, encoding.Errorf(from, "a score", "NaN")
	}
	b, err := d.Take(uint64(n), "a score")
	if err != nil {
		return 0, err
	}
	f, ok := parseScore(b)
	if !ok {
		return 0, encoding.Errorf(from, "a score", "%.64q", b)
	}
	return f, nil
}

// parseScore parses a score as Redis prints it, including "inf" and "-inf".
func parseScore(b []byte) (float64, bool) {
	if len(b) > maxTextScore || bytes.IndexByte(b, '_') >= 0 {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil && !math.IsNaN(f)
}

// readPackedSortedSet reads a packed list of members, each followed by its score.
func readPackedSortedSet(d *encoding.Decoder, v *Value, open func([]byte) encoding.PackedList) error {
	start := d.Offset()
	b, err := d.Text("a packed sorted set")
	if err != nil {
		return err
	}
	isScore := false
	var scratch [20]byte
	at, expected := open(b).Each(func(e encoding.Element) string {
		isScore = !isScore
		if isScore {
			v.Items = append(v.Items, store.Item{Member: string(e.AppendTo(scratch[:0]))})
			return ""
		}
		return setScore(&v.Items[len(v.Items)-1], e)
	})
	if expected == "" && isScore {
		at, expected = len(b)-1, "a score after the last member"
	}
	if expected != "" {
		return encoding.Errorf(start, expected+" "+strconv.Itoa(at)+" bytes into it", "other bytes")
	}
	return completeSortedSet(v, start)
}

// setScore gives an item the score in a list's element. It returns "a score" if the element is not a score.
func setScore(it *store.Item, e encoding.Element) (expected string) {
	if e.Text == nil {
		it.Score = float64(e.Int)
		return ""
	}
	var ok bool
	if it.Score, ok = parseScore(e.Text); !ok {
		return "a score"
	}
	return ""
}

// maxCompared is the largest set in which comparing all pairs is faster than a map.
const maxCompared = 16

// duplicateMember returns a member that items have twice.
func duplicateMember(items []store.Item) (member string, found bool) {
	if len(items) <= maxCompared {
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
