package aof

import (
	"math"
	"strconv"
	"unsafe"

	"cellserver/internal/decimal"
	"cellserver/internal/pieces"
	"cellserver/persistence/aof/format"
	"cellserver/store"
)

// collectionCodec keeps every type of collections, by its description ([store.Type]).
var collectionCodec = codec{
	newAppenders: func(e *encoder) map[store.Op]appender {
		c := &collectionEncoder{encoder: e}
		c.each = c.appendMember
		return map[store.Op]appender{
			store.OpChange: {append: func(f *store.Effect) {
				e.verb(f.Change, f.Key, 1)
				e.operands(f.Change, &f.Operands)
			}},
			store.OpStore: {append: c.store, several: true},
		}
	},
	commands: func() map[string]applyFunc {
		all := map[string]applyFunc{}
		for _, t := range store.Types() {
			for _, how := range t.Changes {
				all[how.Verb] = func(a *applier, args [][]byte) bool { return applyChange(a, t, how, args) }
			}
		}
		return all
	}(),
}

// maxItems is the largest number of members in one command, as in Redis's own logs.
const maxItems = 64

// roomOfItems is the room in bytes for one command with members of a usual length.
const roomOfItems = maxItems * 64

// collectionEncoder appends whole collections.
type collectionEncoder struct {
	*encoder
	whole *store.Change
	key   []byte
	value store.Collection
	from  int                        // where the members begin in buf
	rest  int                        // members of all further commands
	chunk int                        // members that belong to the current command
	each  func(*store.Operands) bool // appendMember; a new method value for each value would be an allocation
}

// store appends a whole collection. The collection of most types may have lost some or all members since the
// effect. The next effects of the transaction then remove them from the log's collection, too.
func (c *collectionEncoder) store(f *store.Effect) {
	t := store.TypeOf(f.Collection.Kind())
	c.head("*2\r\n$3\r\nDEL\r\n", f.Key)
	c.whole, c.key, c.value, c.from, c.rest, c.chunk = t.Whole, f.Key, f.Collection, len(c.buf), f.Collection.Len(), 0
	t.Each(f.Collection, c.each)
	c.key, c.value = nil, nil
	if f.At != store.NoExpiry {
		c.expire(f.Key, f.At)
	}
}

func (c *collectionEncoder) appendMember(o *store.Operands) bool {
	if c.chunk == 0 {
		c.chunk = min(c.rest, maxItems)
		c.makeRoom()
		c.verb(c.whole, c.key, c.chunk)
		c.rest -= c.chunk
	}
	c.chunk--
	c.operands(c.whole, o)
	return true
}

// makeRoom makes room for one command. If buf has to grow, makeRoom makes room for all further ones, as if
// they were as large as those before. So a large value does not grow buf many times, and leaves no garbage
// of several times its size.
func (c *collectionEncoder) makeRoom() {
	if cap(c.buf)-len(c.buf) >= roomOfItems {
		return
	}
	room := roomOfItems
	if done := c.value.Len() - c.rest; done > 0 {
		estimate := (len(c.buf) - c.from) / done * c.rest
		room += min(estimate+estimate/16, int(c.value.Bytes()))
	}
	c.buf = pieces.Grow(c.buf, room)
}

// verb appends the beginning of a command with n groups of operands.
func (e *encoder) verb(how *store.Change, key []byte, n int) {
	e.buf = decimal.Append(append(e.buf, '*'), int64(2+n*len(how.Args)))
	e.buf = decimal.Append(append(e.buf, "\r\n$"...), int64(len(how.Verb)))
	e.buf = append(append(append(e.buf, "\r\n"...), how.Verb...), "\r\n"...)
	e.bulk(key)
}

// The words of the argument w.
const (
	wordBefore = "BEFORE"
	wordAfter  = "AFTER"
)

// operands appends a group of operands.
func (e *encoder) operands(how *store.Change, o *store.Operands) {
	for i := range len(how.Args) {
		switch how.Args[i] {
		case 'v':
			e.bulk(o.Value)
		case 'm':
			e.bulk(o.More)
		case 'i':
			e.buf = format.AppendInt(e.buf, o.Int)
		case 'e':
			e.buf = format.AppendInt(e.buf, o.End)
		case 's':
			e.buf = appendScore(e.buf, o.Score)
		case 'w':
			word := wordAfter
			if o.Int < 0 {
				word = wordBefore
			}
			e.bulk([]byte(word))
		}
	}
}

// appendScore appends a score in the fewest digits that are read as the same number.
func appendScore(b []byte, f float64) []byte {
	var text [32]byte
	switch {
	case math.IsInf(f, 1):
		return format.AppendBulk(b, append(text[:0], "inf"...))
	case math.IsInf(f, -1):
		return format.AppendBulk(b, append(text[:0], "-inf"...))
	case f == math.Trunc(f) && math.Abs(f) < 1<<53 && !(f == 0 && math.Signbit(f)):
		return format.AppendInt(b, int64(f))
	}
	return format.AppendBulk(b, strconv.AppendFloat(text[:0], f, 'g', -1, 64))
}

// applyChange applies a command that [encoder.operands] wrote.
func applyChange(a *applier, t *store.Type, how *store.Change, args [][]byte) bool {
	size := len(how.Args)
	n := (len(args) - 2) / size
	if len(args) != 2+n*size || n < 1 || n > 1 && !how.Repeats {
		return false
	}
	for i := range n {
		if _, ok := parseOperands(how, args[2+i*size:]); !ok {
			return false
		}
	}
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	for i := range n {
		o, _ := parseOperands(how, args[2+i*size:])
		if !e.Apply(t, how, o) {
			return i > 0
		}
	}
	return true
}

// parseOperands reads a group of operands. It reports false for an option such as NX, because no operand has
// the form of an option.
func parseOperands(how *store.Change, args [][]byte) (o store.Operands, ok bool) {
	for i := range len(how.Args) {
		ok = true
		switch b := args[i]; how.Args[i] {
		case 'v':
			o.Value = b
		case 'm':
			o.More = b
		case 'i':
			o.Int, ok = decimal.Parse(b)
		case 'e':
			o.End, ok = decimal.Parse(b)
		case 's':
			o.Score, ok = parseScore(b)
		case 'w':
			if o.Int = 1; format.EqualWord(b, wordBefore) {
				o.Int = -1
			} else {
				ok = format.EqualWord(b, wordAfter)
			}
		}
		if !ok {
			return o, false
		}
	}
	return o, true
}

// parseScore reads a score that appendScore wrote.
func parseScore(b []byte) (float64, bool) {
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), 64) // ParseFloat keeps the string in errors only
	return f, err == nil && !math.IsNaN(f)
}
