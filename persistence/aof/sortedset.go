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

// sortedSetCodec keeps sorted sets.
var sortedSetCodec = codec{
	newAppenders: newSortedSetAppenders,
	commands:     map[string]applyFunc{"ZADD": applyZAdd, "ZREM": applyZRem},
}

// maxItems is the largest number of members in one ZADD, as in Redis's own logs.
const maxItems = 64

// roomOfItems is the room in bytes for one ZADD with members of a usual length.
const roomOfItems = maxItems * 64

// sortedSetEncoder appends whole sorted sets.
type sortedSetEncoder struct {
	*encoder
	key   []byte
	set   *store.SortedSet
	from  int                   // where the items begin in buf
	rest  int                   // items of all further ZADDs
	chunk int                   // items that belong to the current ZADD
	item  func(store.Item) bool // appendItem; a new method value for each set would be an allocation
}

func newSortedSetAppenders(e *encoder) map[store.Op]appender {
	z := &sortedSetEncoder{encoder: e}
	z.item = z.appendItem
	return map[store.Op]appender{
		store.OpZAdd: {append: func(f *store.Effect) {
			e.head("*4\r\n$4\r\nZADD\r\n", f.Key)
			e.buf = format.AppendBulk(appendScore(e.buf, f.Score), f.Value)
		}},
		store.OpZRem: {append: func(f *store.Effect) {
			e.head("*3\r\n$4\r\nZREM\r\n", f.Key)
			e.bulk(f.Value)
		}},
		store.OpZStore: {append: z.store, several: true},
	}
}

// store appends a whole sorted set. The set may have lost some or all members since the effect. The next effects of the
// transaction then remove them from the log's set, too.
func (z *sortedSetEncoder) store(f *store.Effect) {
	z.head("*2\r\n$3\r\nDEL\r\n", f.Key)
	set := f.Collection.(*store.SortedSet)
	z.key, z.set, z.from, z.rest, z.chunk = f.Key, set, len(z.buf), set.Len(), 0
	set.Range(0, z.rest, false, z.item)
	z.key, z.set = nil, nil
	if f.At != store.NoExpiry {
		z.expire(f.Key, f.At)
	}
}

func (z *sortedSetEncoder) appendItem(it store.Item) bool {
	if z.chunk == 0 {
		z.chunk = min(z.rest, maxItems)
		z.makeRoom()
		z.buf = decimal.Append(append(z.buf, '*'), int64(2+2*z.chunk))
		z.head("\r\n$4\r\nZADD\r\n", z.key)
		z.rest -= z.chunk
	}
	z.chunk--
	z.buf = appendScore(z.buf, it.Score)
	z.bulk(unsafe.Slice(unsafe.StringData(it.Member), len(it.Member))) // bulk only reads it
	return true
}

// makeRoom makes room for one ZADD. If buf has to grow, makeRoom makes room for all further ones, as if they were as large as
// those before. So a large set does not grow buf many times, and leaves no garbage of several times its size.
func (z *sortedSetEncoder) makeRoom() {
	if cap(z.buf)-len(z.buf) >= roomOfItems {
		return
	}
	room := roomOfItems
	if done := z.set.Len() - z.rest; done > 0 {
		estimate := (len(z.buf) - z.from) / done * z.rest
		room += min(estimate+estimate/16, int(z.set.Bytes()))
	}
	z.buf = pieces.Grow(z.buf, room)
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

func applyZAdd(a *applier, args [][]byte) bool {
	if len(args) < 4 || len(args)%2 != 0 {
		return false
	}
	for i := 2; i < len(args); i += 2 {
		if _, ok := parseScore(args[i]); !ok {
			return false
		}
	}
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	if e.Exists() && e.Kind() != store.Sorted {
		return false
	}
	for i := 2; i < len(args); i += 2 {
		score, _ := parseScore(args[i])
		e.ZAdd(score, args[i+1])
	}
	return true
}

func applyZRem(a *applier, args [][]byte) bool {
	if len(args) != 3 {
		return false
	}
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	e.ZRem(args[2])
	return true
}

// parseScore reads a score that appendScore wrote. No option of ZADD is a score.
func parseScore(b []byte) (float64, bool) {
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(b), len(b)), 64) // ParseFloat keeps the string in errors only
	return f, err == nil && !math.IsNaN(f)
}
