package aof

import (
	"math"
	"strconv"
	"unsafe"

	"cellserver/store"
)

// encoder collects effects as the commands that a log holds. Each says what is, not what
// to do to what was: so it is safe to apply a log's commands to what already holds them.
type encoder struct {
	buf []byte
	db  int // the database that the log's next command applies to; unselected at its start

	key   []byte                // of the sorted set that item is given items of
	chunk int                   // items that the ZADD at hand may still take
	rest  int                   // items that are yet to come
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
	e.buf = append(e.buf, "*2\r\n$6\r\nSELECT\r\n"...)
	e.integer(int64(f.DB))
}

// effect appends an effect on the database that is selected.
func (e *encoder) effect(f *store.Effect) {
	switch f.Op {
	case store.OpSet:
		e.set(f)
	case store.OpSetRange:
		e.setRange(f)
	case store.OpDel:
		e.command("*2\r\n$3\r\nDEL\r\n", f.Key)
	case store.OpExpire:
		e.expire(f.Key, f.At)
	case store.OpPersist:
		e.command("*2\r\n$7\r\nPERSIST\r\n", f.Key)
	case store.OpZAdd:
		e.command("*4\r\n$4\r\nZADD\r\n", f.Key)
		e.score(f.Score)
		e.bulk(f.Value)
	case store.OpZRem:
		e.command("*3\r\n$4\r\nZREM\r\n", f.Key)
		e.bulk(f.Value)
	case store.OpZStore:
		e.sorted(f)
	case store.OpFlush:
		e.buf = append(e.buf, "*1\r\n$7\r\nFLUSHDB\r\n"...)
	case store.OpSwapDB:
		e.buf = append(e.buf, "*3\r\n$6\r\nSWAPDB\r\n"...)
		e.integer(int64(f.DB))
		e.integer(f.Int)
	}
}

func (e *encoder) set(f *store.Effect) {
	if f.At == store.NoExpiry {
		e.command("*3\r\n$3\r\nSET\r\n", f.Key)
	} else {
		e.command("*5\r\n$3\r\nSET\r\n", f.Key)
	}
	if f.Value == nil {
		e.integer(f.Int)
	} else {
		e.bulk(f.Value)
	}
	if f.At != store.NoExpiry {
		e.buf = append(e.buf, "$4\r\nPXAT\r\n"...)
		e.integer(f.At)
	}
}

// setRange writes nothing as an APPEND: that makes an absent key an empty string, which
// SETRANGE does not.
func (e *encoder) setRange(f *store.Effect) {
	if len(f.Value) == 0 {
		e.command("*3\r\n$6\r\nAPPEND\r\n", f.Key)
	} else {
		e.command("*4\r\n$8\r\nSETRANGE\r\n", f.Key)
		e.integer(f.Int)
	}
	e.bulk(f.Value)
}

func (e *encoder) expire(key []byte, at int64) {
	e.command("*3\r\n$9\r\nPEXPIREAT\r\n", key)
	e.integer(at)
}

// sorted writes a whole sorted set. It may have lost members since, or all of them: the
// effects that say so come after it.
func (e *encoder) sorted(f *store.Effect) {
	e.command("*2\r\n$3\r\nDEL\r\n", f.Key)
	e.key, e.rest, e.chunk = f.Key, f.Sorted.Len(), 0
	f.Sorted.Range(0, e.rest, false, e.item)
	e.key = nil
	if f.At != store.NoExpiry {
		e.expire(f.Key, f.At)
	}
}

func (e *encoder) appendItem(it store.Item) bool {
	if e.chunk == 0 {
		e.chunk = min(e.rest, chunkItems)
		e.rest -= e.chunk
		e.buf = append(e.buf, '*')
		e.buf = strconv.AppendInt(e.buf, int64(2+2*e.chunk), 10)
		e.command("\r\n$4\r\nZADD\r\n", e.key)
	}
	e.chunk--
	e.score(it.Score)
	e.bulk(unsafe.Slice(unsafe.StringData(it.Member), len(it.Member))) // which only reads it
	return true
}

// command appends the beginning of a command up to its name, and its key.
func (e *encoder) command(start string, key []byte) {
	e.buf = append(e.buf, start...)
	e.bulk(key)
}

func (e *encoder) bulk(b []byte) {
	e.length(len(b))
	e.buf = append(e.buf, b...)
	e.buf = append(e.buf, '\r', '\n')
}

func (e *encoder) length(n int) {
	e.buf = append(e.buf, '$')
	if n < 10 {
		e.buf = append(e.buf, byte('0'+n))
	} else {
		e.buf = strconv.AppendInt(e.buf, int64(n), 10)
	}
	e.buf = append(e.buf, '\r', '\n')
}

func (e *encoder) integer(n int64) {
	var digits [20]byte
	e.bulk(strconv.AppendInt(digits[:0], n, 10))
}

// score appends a score in the fewest digits from which the same number is read.
func (e *encoder) score(f float64) {
	var text [32]byte
	switch {
	case math.IsInf(f, 1):
		e.bulk(append(text[:0], "inf"...))
	case math.IsInf(f, -1):
		e.bulk(append(text[:0], "-inf"...))
	case f == math.Trunc(f) && math.Abs(f) < 1<<53 && !(f == 0 && math.Signbit(f)):
		e.integer(int64(f))
	default:
		e.bulk(strconv.AppendFloat(text[:0], f, 'g', -1, 64))
	}
}
