package rdb

import (
	"bytes"
	"strconv"
	"unsafe"

	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// Collections are sequences of strings: a field and its value, a member and its score, a member, or an
// element. Every encoding of them is read as such a sequence.

// Parts are the strings of a collection, in order.
type Parts struct {
	bytes []byte
	ends  []int
}

// keptParts is the size in bytes of the largest memory for strings that a value keeps.
const keptParts = 1 << 20

// reset empties the parts, and keeps their memory if it is not large.
func (p Parts) reset() Parts {
	if cap(p.bytes) > keptParts || cap(p.ends) > keptParts/8 {
		return Parts{}
	}
	return Parts{p.bytes[:0], p.ends[:0]}
}

func (p *Parts) add(b []byte) {
	p.bytes = append(p.bytes, b...)
	p.ends = append(p.ends, len(p.bytes))
}

func (p *Parts) addElement(e encoding.Element) string {
	p.bytes = e.AppendTo(p.bytes)
	p.ends = append(p.ends, len(p.bytes))
	return ""
}

func (p *Parts) at(i int) []byte {
	from := 0
	if i > 0 {
		from = p.ends[i-1]
	}
	return p.bytes[from:p.ends[i]]
}

// shape says how the strings of a type make members.
type shape struct {
	kind store.Kind
	name string // the type in errors and counts
	each int    // strings of a member
	sole bool   // a member comes once
	// second reads the second string of a member, if it has two.
	second func(*encoding.Decoder, *Parts) error
}

// codecOf returns the codec of a type: the type byte that is written, and the functions that read the
// strings of each encoding.
func codecOf(s shape, writes byte, reads map[byte]func(*encoding.Decoder, *Parts) error) codec {
	c := codec{
		name: s.name, kinds: []store.Kind{s.kind}, writes: writes, newWriter: s.newWriter,
		reads: map[byte]readFunc{writes: func(d *encoding.Decoder, v *Value) error { return s.read(d, v, s.readTexts) }},
		empty: func(v *Value) bool { return len(v.Parts.ends) == 0 },
		put:   s.put,
	}
	for b, read := range reads {
		c.reads[b] = func(d *encoding.Decoder, v *Value) error { return s.read(d, v, read) }
	}
	return c
}

// newWriter writes the number of members, and then their strings.
func (s shape) newWriter(e *encoding.Encoder) func(*store.Image) {
	member := func(o *store.Operands) bool {
		e.Text(o.Value)
		if s.each == 2 {
			e.Text(o.More)
		}
		return e.FlushChunk() == nil
	}
	each := store.TypeOf(s.kind).Each
	return func(im *store.Image) {
		e.Length(uint64(im.Collection.Len()))
		each(im.Collection, member)
	}
}

func (s shape) put(v *Value, e *store.Entry, expireAt int64) {
	e.StoreAll(store.TypeOf(s.kind), expireAt, func(add func(store.Operands)) {
		for i := 0; i < len(v.Parts.ends); i += s.each {
			o := store.Operands{Value: v.Parts.at(i)}
			if s.each == 2 {
				o.More = v.Parts.at(i + 1)
			}
			add(o)
		}
	})
}

// read reads a collection and checks that it is whole.
func (s shape) read(d *encoding.Decoder, v *Value, read func(*encoding.Decoder, *Parts) error) error {
	from := d.Offset()
	if err := read(d, &v.Parts); err != nil {
		return err
	}
	v.Kind = s.kind
	if n := len(v.Parts.ends); n%s.each != 0 {
		return encoding.Errorf(from, "a "+s.name+" of pairs", "%d strings", n)
	}
	if b, found := s.duplicate(&v.Parts); found {
		return encoding.Errorf(from, "a "+s.name+" that has each member once", "%.64q twice", b)
	}
	return nil
}

// maxCompared is the most members with which comparing all pairs is faster than a map.
const maxCompared = 16

// duplicate returns a member that comes twice.
func (s shape) duplicate(p *Parts) (member []byte, found bool) {
	switch n := len(p.ends); {
	case !s.sole:
		return nil, false
	case n <= maxCompared*s.each:
		for i := 0; i < n; i += s.each {
			for k := 0; k < i; k += s.each {
				if bytes.Equal(p.at(i), p.at(k)) {
					return p.at(i), true
				}
			}
		}
		return nil, false
	}
	seen := make(map[string]struct{}, len(p.ends)/s.each)
	for i := 0; i < len(p.ends); i += s.each {
		b := p.at(i)
		member := unsafe.String(unsafe.SliceData(b), len(b)) // no copy: seen ends before p changes
		if _, found := seen[member]; found {
			return b, true
		}
		seen[member] = struct{}{}
	}
	return nil, false
}

// readTexts reads the number of members, and then their strings.
func (s shape) readTexts(d *encoding.Decoder, p *Parts) error {
	n, err := d.Length("the number of members")
	for ; err == nil && n > 0; n-- {
		err = readText(d, p)
		for i := 1; i < s.each && err == nil; i++ {
			err = s.second(d, p)
		}
	}
	return err
}

func readText(d *encoding.Decoder, p *Parts) error {
	b, err := d.Text("a member")
	if err == nil {
		p.add(b)
	}
	return err
}

// packedParts returns a reader of a packed list.
func packedParts(each encoding.EachOf) func(*encoding.Decoder, *Parts) error {
	return func(d *encoding.Decoder, p *Parts) error { return readPacked(d, each, p.addElement) }
}

// readPacked reads a packed list, and returns an error if it is damaged.
func readPacked(d *encoding.Decoder, each encoding.EachOf, do func(encoding.Element) string) error {
	from := d.Offset()
	b, err := d.Text("a packed list")
	if err != nil {
		return err
	}
	at, expected := each(b, do)
	if expected != "" {
		return encoding.Errorf(from, expected+" "+strconv.Itoa(at)+" bytes into it", "other bytes")
	}
	return nil
}
