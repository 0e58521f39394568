package aof

import (
	"math"
	"strconv"
	"unsafe"

	"cellserver/internal/decimal"
	"cellserver/store"
)

// encoder collects effects as the commands that a log holds. Each says what is, not what
// to do to what was: so it is safe to apply a log's commands to what already holds them.
type encoder struct {
	buf []byte
	db  int // the database that the log's next command applies to; unselected at its start

	key   []byte                // of the sorted set that item is given items of
	rest  int                   // items that are yet to come
	chunk int                   // items that the ZADD at hand may still take
	item  func(store.Item) bool // appends one; made once, for it escapes
}

// unselected is the database of a log that has not said any yet.
const unselected = -1

// chunkItems is how many members one ZADD adds at most, as in Redis's own logs.
const chunkItems = 64

func newEncoder() *encoder {
	e := &encoder{db: unselected}
	e.item = e.appendItem
	return e
}

// transaction appends the effects of one transaction, of which there is at least one. A
// reader applies all of its commands or none.
func (e *encoder) transaction(effects []store.Effect) {
	e.choose(&effects[0])
	if len(effects) == 1 && effects[0].Op != store.OpZStore {
		e.effect(&effects[0])
		return
	}
	e.buf = append(e.buf, "*1\r\n$5\r\nMULTI\r\n"...)
	for i := range effects {
		e.choose(&effects[i])
		e.effect(&effects[i])
	}
	e.buf = append(e.buf, "*1\r\n$4\r\nEXEC\r\n"...)
}

// choose selects the effect's database.
func (e *encoder) choose(f *store.Effect) {
	if f.DB == e.db || f.Op == store.OpSwapDB {
		return
	}
	e.db = f.DB
	e.buf = appendInt(append(e.buf, "*2\r\n$6\r\nSELECT\r\n"...), int64(f.DB))
}

// effect appends an effect on the database that is selected.
func (e *encoder) effect(f *store.Effect) {
	switch f.Op {
	case store.OpSet:
		e.buf = appendSet(e.buf, f)
	case store.OpSetRange:
		e.buf = appendSetRange(e.buf, f)
	case store.OpDel:
		e.buf = appendBulk(append(e.buf, "*2\r\n$3\r\nDEL\r\n"...), f.Key)
	case store.OpExpire:
		e.buf = appendExpire(e.buf, f.Key, f.At)
	case store.OpPersist:
		e.buf = appendBulk(append(e.buf, "*2\r\n$7\r\nPERSIST\r\n"...), f.Key)
	case store.OpZAdd:
		e.buf = appendBulk(append(e.buf, "*4\r\n$4\r\nZADD\r\n"...), f.Key)
		e.buf = appendBulk(appendScore(e.buf, f.Score), f.Value)
	case store.OpZRem:
		e.buf = appendBulk(append(e.buf, "*3\r\n$4\r\nZREM\r\n"...), f.Key)
		e.buf = appendBulk(e.buf, f.Value)
	case store.OpZStore:
		e.sorted(f)
	case store.OpFlush:
		e.buf = append(e.buf, "*1\r\n$7\r\nFLUSHDB\r\n"...)
	case store.OpSwapDB:
		e.buf = appendInt(append(e.buf, "*3\r\n$6\r\nSWAPDB\r\n"...), int64(f.DB))
		e.buf = appendInt(e.buf, f.Int)
	}
}

func appendSet(b []byte, f *store.Effect) []byte {
	if f.At == store.NoExpiry {
		b = appendBulk(append(b, "*3\r\n$3\r\nSET\r\n"...), f.Key)
		return appendValue(b, f)
	}
	b = appendBulk(append(b, "*5\r\n$3\r\nSET\r\n"...), f.Key)
	if f.Value == nil && f.Int >= 1e18 && f.Int/1e8 == f.At/100 {
		return appendTAT(b, uint64(f.Int), uint64(f.At))
	}
	b = append(appendValue(b, f), "$4\r\nPXAT\r\n"...)
	return appendInt(b, f.At)
}

func appendValue(b []byte, f *store.Effect) []byte {
	if f.Value != nil {
		return appendBulk(b, f.Value)
	}
	return appendInt(b, f.Int)
}

// appendTAT appends a TAT of 19 digits and its expiry, which has the first eleven of them and
// two of its own: what nearly every effect of a limiter says, each digit put where it belongs.
func appendTAT(b []byte, tat, expiry uint64) []byte {
	const text = "$19\r\n___________________\r\n$4\r\nPXAT\r\n$13\r\n_____________\r\n"
	b = append(b, text...)
	t := (*[len(text)]byte)(b[len(b)-len(text):])
	common, last := tat/1e8, expiry%100
	first, next := common/1e8, common%1e8
	d0, d1, d2 := '0'+byte(first/100), '0'+byte(first/10%10), '0'+byte(first%10)
	t[5], t[6], t[7] = d0, d1, d2
	decimal.Put8(t[8:], next)
	decimal.Put8(t[16:], tat%1e8)
	t[41], t[42], t[43] = d0, d1, d2
	decimal.Put8(t[44:], next)
	t[52], t[53] = '0'+byte(last/10), '0'+byte(last%10)
	return b
}

// appendSetRange writes nothing as an APPEND: that makes an absent key an empty string,
// which SETRANGE does not.
func appendSetRange(b []byte, f *store.Effect) []byte {
	if len(f.Value) == 0 {
		b = appendBulk(append(b, "*3\r\n$6\r\nAPPEND\r\n"...), f.Key)
	} else {
		b = appendBulk(append(b, "*4\r\n$8\r\nSETRANGE\r\n"...), f.Key)
		b = appendInt(b, f.Int)
	}
	return appendBulk(b, f.Value)
}

func appendExpire(b, key []byte, at int64) []byte {
	return appendInt(appendBulk(append(b, "*3\r\n$9\r\nPEXPIREAT\r\n"...), key), at)
}

// sorted appends a whole sorted set. It may have lost members since, or all of them: the
// effects that say so come after it.
func (e *encoder) sorted(f *store.Effect) {
	e.buf = appendBulk(append(e.buf, "*2\r\n$3\r\nDEL\r\n"...), f.Key)
	z := f.Collection.(*store.SortedSet)
	e.key, e.rest, e.chunk = f.Key, z.Len(), 0
	z.Range(0, e.rest, false, e.item)
	e.key = nil
	if f.At != store.NoExpiry {
		e.buf = appendExpire(e.buf, f.Key, f.At)
	}
}

func (e *encoder) appendItem(it store.Item) bool {
	b := e.buf
	if e.chunk == 0 {
		e.chunk = min(e.rest, chunkItems)
		e.rest -= e.chunk
		b = decimal.Append(append(b, '*'), int64(2+2*e.chunk))
		b = appendBulk(append(b, "\r\n$4\r\nZADD\r\n"...), e.key)
	}
	e.chunk--
	b = appendScore(b, it.Score)
	e.buf = appendBulk(b, unsafe.Slice(unsafe.StringData(it.Member), len(it.Member))) // which only reads it
	return true
}

func appendBulk(b, s []byte) []byte {
	b = decimal.Append(append(b, '$'), int64(len(s)))
	b = append(append(b, '\r', '\n'), s...)
	return append(b, '\r', '\n')
}

func appendInt(b []byte, n int64) []byte {
	var digits [20]byte
	return appendBulk(b, decimal.Append(digits[:0], n))
}

// appendScore writes a score in the fewest digits from which the same number is read.
func appendScore(b []byte, f float64) []byte {
	var text [32]byte
	switch {
	case math.IsInf(f, 1):
		return appendBulk(b, append(text[:0], "inf"...))
	case math.IsInf(f, -1):
		return appendBulk(b, append(text[:0], "-inf"...))
	case f == math.Trunc(f) && math.Abs(f) < 1<<53 && !(f == 0 && math.Signbit(f)):
		return appendInt(b, int64(f))
	}
	return appendBulk(b, strconv.AppendFloat(text[:0], f, 'g', -1, 64))
}
