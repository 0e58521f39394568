package rdb

import (
	"bytes"
	"encoding/binary"
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

// sortedSetCodec keeps sorted sets. Their parts are members, each with its score as 8 bytes.
var sortedSetCodec = func() codec {
	s := shape{kind: store.Sorted, name: "sorted set", each: 2, sole: true, second: partOfScore(binaryScore)}
	text := s
	text.second = partOfScore(textScore)
	c := codecOf(s, typeSorted, map[byte]func(*encoding.Decoder, *Parts) error{
		typeSortedText:     text.readTexts,
		typeSortedZiplist:  packedScores(encoding.Ziplist),
		typeSortedListpack: packedScores(encoding.Listpack),
	})
	c.newWriter, c.put = newSortedSetWriter, putSortedSet
	return c
}()

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
	items := make([]store.Item, len(v.Parts.ends)/2)
	for i := range items {
		score := math.Float64frombits(binary.LittleEndian.Uint64(v.Parts.at(2*i + 1)))
		items[i] = store.Item{Score: score, Member: string(v.Parts.at(2 * i))}
	}
	e.ZStore(items)
	if expireAt != store.NoExpiry {
		e.SetExpiry(expireAt)
	}
}

func (p *Parts) addScore(score float64) {
	p.bytes = binary.LittleEndian.AppendUint64(p.bytes, math.Float64bits(score))
	p.ends = append(p.ends, len(p.bytes))
}

// partOfScore returns a reader of a score as a part.
func partOfScore(read func(*encoding.Decoder) (float64, error)) func(*encoding.Decoder, *Parts) error {
	return func(d *encoding.Decoder, p *Parts) error {
		score, err := read(d)
		p.addScore(score)
		return err
	}
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

// packedScores returns a reader of a packed list of members, each followed by its score.
func packedScores(each encoding.EachOf) func(*encoding.Decoder, *Parts) error {
	return func(d *encoding.Decoder, p *Parts) error {
		return readPacked(d, each, func(e encoding.Element) (expected string) {
			if len(p.ends)%2 == 0 {
				return p.addElement(e)
			}
			score, ok := float64(e.Int), true
			if e.Text != nil {
				score, ok = parseScore(e.Text)
			}
			if !ok {
				return "a score"
			}
			p.addScore(score)
			return ""
		})
	}
}
