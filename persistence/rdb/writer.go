package rdb

import (
	"encoding/binary"
	"io"
	"math"
	"unsafe"

	"cellserver/internal/decimal"
	"cellserver/store"
)

// chunk is how many bytes a Writer gathers before it writes them, and a Reader reads at once.
const chunk = 64 << 10

// Writer writes a file. What it writes collects in one buffer, so keys cost no
// allocation. After an error it writes nothing more, and every method returns that error.
type Writer struct {
	// NoChecksum leaves the checksum out (rdbchecksum no): nobody will notice damage.
	NoChecksum bool

	out  io.Writer // nil: everything stays in buf
	buf  []byte
	crc  uint64 // of what has left buf
	err  error
	item func(store.Item) bool // appends one; made once, for it escapes
}

// NewWriter begins a file with its header.
func NewWriter(out io.Writer) *Writer {
	w := &Writer{out: out, buf: make([]byte, 0, 2*chunk)}
	w.item = w.appendItem
	w.buf = append(w.buf, magic...)
	for unit := 1000; unit > 0; unit /= 10 {
		w.buf = append(w.buf, byte('0'+Version/unit%10))
	}
	return w
}

// Aux writes a fact about the file. Readers ignore names that they do not know; Redis's
// own are listed in its rdb.c (redis-ver, ctime, used-mem, aof-base …).
func (w *Writer) Aux(name, value string) error {
	w.buf = append(w.buf, opAux)
	w.text([]byte(name))
	w.text([]byte(value))
	return w.spill()
}

// Select says that the keys that follow are database db's, about how many they are and
// how many of them expire.
func (w *Writer) Select(db, keys, expires int) error {
	w.buf = append(w.buf, opSelectDB)
	w.buf = appendLength(w.buf, uint64(db))
	w.buf = append(w.buf, opResizeDB)
	w.buf = appendLength(w.buf, uint64(keys))
	w.buf = appendLength(w.buf, uint64(expires))
	return w.spill()
}

// Key writes a key with its expiry and its value. That of a throttle key is its TAT,
// rounded up to the millisecond.
func (w *Writer) Key(im *store.Image) error {
	if im.ExpireAt != store.NoExpiry {
		w.buf = append(w.buf, opExpireMs)
		w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(im.ExpireAt))
	}
	w.buf = append(w.buf, typeOf(im.Kind))
	w.text(im.Key)
	w.value(im)
	return w.spill()
}

// Finish ends the file with its checksum and writes what is left. The writer it was
// given is the caller's to close.
func (w *Writer) Finish() error {
	w.buf = append(w.buf, opEOF)
	sum := uint64(0)
	if !w.NoChecksum {
		sum = checksum(w.crc, w.buf)
	}
	w.buf = binary.LittleEndian.AppendUint64(w.buf, sum)
	return w.flush()
}

// typeOf is the type in which a value is written.
func typeOf(k store.Kind) byte {
	if k == store.Sorted {
		return typeSorted
	}
	return typeString
}

// value appends a key's value, without its type. Sorted sets go from the last item to
// the first, as Redis writes them: it inserts each at the head of its list.
func (w *Writer) value(im *store.Image) {
	switch im.Kind {
	case store.Int:
		w.buf = appendInt(w.buf, im.Int)
	case store.Raw:
		w.text(im.Bytes)
	case store.Sorted:
		z := im.Collection.(*store.SortedSet)
		w.buf = appendLength(w.buf, uint64(z.Len()))
		z.Range(0, z.Len(), true, w.item)
	}
}

func (w *Writer) appendItem(it store.Item) bool {
	w.text(unsafe.Slice(unsafe.StringData(it.Member), len(it.Member))) // which only reads it
	w.buf = binary.LittleEndian.AppendUint64(w.buf, math.Float64bits(it.Score))
	return w.spill() == nil
}

// text appends a string; one that reads as an integer of at most 32 bits, as that. What
// is longer than the buffer does not go through it.
func (w *Writer) text(b []byte) {
	if n, ok := decimal.Parse(b); ok {
		w.buf = appendInt(w.buf, n)
		return
	}
	w.buf = appendLength(w.buf, uint64(len(b)))
	if w.out == nil || len(b) < chunk {
		w.buf = append(w.buf, b...)
		return
	}
	if w.flush() == nil {
		w.write(b)
	}
}

// spill writes what has collected when it is a chunk.
func (w *Writer) spill() error {
	if w.out == nil || len(w.buf) < chunk {
		return w.err
	}
	return w.flush()
}

func (w *Writer) flush() error {
	w.write(w.buf)
	w.buf = w.buf[:0]
	return w.err
}

func (w *Writer) write(p []byte) {
	if w.err == nil {
		if !w.NoChecksum {
			w.crc = checksum(w.crc, p)
		}
		_, w.err = w.out.Write(p)
	}
}

// appendLength appends a length in as few bytes as it takes.
func appendLength(b []byte, n uint64) []byte {
	switch {
	case n < 1<<6:
		return append(b, len6|byte(n))
	case n < 1<<14:
		return append(b, len14|byte(n>>8), byte(n))
	case n <= math.MaxUint32:
		return binary.BigEndian.AppendUint32(append(b, len32), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, len64), n)
}

// appendInt appends an integer as a string: in 1, 2 or 4 bytes, else as its digits.
func appendInt(b []byte, n int64) []byte {
	switch {
	case n == int64(int8(n)):
		return append(b, lenSpecial|encInt8, byte(n))
	case n == int64(int16(n)):
		return binary.LittleEndian.AppendUint16(append(b, lenSpecial|encInt16), uint16(n))
	case n == int64(int32(n)):
		return binary.LittleEndian.AppendUint32(append(b, lenSpecial|encInt32), uint32(n))
	}
	at := len(b)
	b = decimal.Append(append(b, 0), n)
	b[at] = len6 | byte(len(b)-at-1) // at most 20 digits
	return b
}
