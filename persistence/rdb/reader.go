package rdb

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"

	"cellserver/store"
)

// Options say how a file is read.
type Options struct {
	// SkipUnsupported leaves out keys of types that are not kept here, and counts them,
	// instead of refusing the file.
	SkipUnsupported bool

	// Aux is told every fact about the file, as [Writer.Aux] wrote it. Nil for none to tell.
	Aux func(name, value string)
}

// Record is one key of a file. What it points to is borrowed: it holds until the next.
type Record struct {
	DB       int
	Key      []byte
	ExpireAt int64 // Unix milliseconds, or store.NoExpiry
	Idle     int64 // seconds since the key was used, or -1: not said
	Freq     int   // its use counter, 0…255, or -1: not said
	Value    Value
}

// Reader reads a file, one key after the other.
type Reader struct {
	src     source
	options Options
	version int // 0 before the header was read
	record  Record
	// announced is how many keys the file says that the database at hand has, until someone heeds it.
	announced uint64
	skipped   map[string]int
	err       error // what Next goes on to return
}

// NewReader returns a reader of the file that in has. It reads ahead, in large pieces.
func NewReader(in io.Reader, o Options) *Reader {
	return &Reader{src: source{in: in, buf: make([]byte, 0, chunk)}, options: o, skipped: map[string]int{}}
}

// Next returns the next key. Its error is io.EOF once the whole file was read and its
// checksum is right; an [Error] where it is damaged; an [Unsupported]. Keys that came
// before an error must not be kept, since the checksum vouches for the whole only.
func (r *Reader) Next() (*Record, error) {
	if r.err == nil && r.version == 0 {
		r.err = r.header()
	}
	r.clear()
	for r.err == nil {
		var found bool
		if found, r.err = r.step(); found && r.err == nil {
			return &r.record, nil
		}
	}
	return nil, r.err
}

// Version returns the version of the file's format, 0 before the first Next.
func (r *Reader) Version() int { return r.version }

// Offset returns how many bytes of the file have been read.
func (r *Reader) Offset() int64 { return r.src.offset() }

// Skipped returns how many of what was left out: keys of types that are not kept, if the
// options say so; function libraries and what modules keep beside their keys; sorted sets
// without members, which a bug of old servers left behind.
func (r *Reader) Skipped() map[string]int { return r.skipped }

// clear forgets what was said of the key before.
func (r *Reader) clear() {
	r.record.ExpireAt, r.record.Idle, r.record.Freq = store.NoExpiry, notSaid, notSaid
}

func (r *Reader) header() error {
	b, err := r.src.take(uint64(headerLen), "the header of an RDB file")
	if err != nil {
		return err
	}
	if string(b[:len(magic)]) != magic {
		return fault(0, `"REDIS"`, "%q", b[:len(magic)])
	}
	digits := string(b[len(magic):])
	version, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || version < 1 || version > maxVersion {
		return fault(int64(len(magic)), "a version of the format from 1 to "+strconv.Itoa(maxVersion), "%q", digits)
	}
	r.version = int(version)
	return nil
}

// step reads one opcode or key, and reports whether it was a key that is kept.
func (r *Reader) step() (found bool, err error) {
	s := &r.src
	from := s.offset()
	kind, err := s.byte("an opcode or the type of a value")
	if err != nil {
		return false, err
	}
	if kind < firstOpcode {
		return r.key(kind, from)
	}
	switch kind {
	case opEOF:
		return false, r.end()
	case opSelectDB:
		return false, r.selectDB()
	case opExpire, opExpireMs, opIdle, opFreq:
		return false, r.attribute(kind)
	case opAux:
		return false, r.aux()
	case opResizeDB:
		return false, r.resizeDB()
	case opSlotInfo:
		return false, s.lengths(3, "how many keys a slot has")
	case opModuleAux:
		return false, r.moduleAux()
	case opFunction:
		return false, r.function()
	}
	return false, fault(from, "an opcode or the type of a value", "%d, which is neither", kind)
}

// key reads a key and its value.
func (r *Reader) key(kind byte, from int64) (found bool, err error) {
	s := &r.src
	name := typeName(kind)
	if name == "" {
		return false, fault(from, "an opcode or the type of a value", "%d, which is neither", kind)
	}
	b, err := s.text("a key")
	if err != nil {
		return false, err
	}
	r.record.Key = append(r.record.Key[:0], b...)
	if !holds(kind) {
		return false, r.leaveOut(kind, name, from)
	}
	if err := s.value(kind, &r.record.Value); err != nil {
		return false, err
	}
	if v := &r.record.Value; v.Kind == store.Sorted && len(v.Items) == 0 {
		r.skipped["empty sorted set"]++
		r.clear()
		return false, nil
	}
	return true, nil
}

// attribute reads what stands before a key about it.
func (r *Reader) attribute(opcode byte) error {
	s := &r.src
	from := s.offset()
	switch opcode {
	case opExpireMs:
		b, err := s.take(8, "an expiry in milliseconds")
		if err != nil {
			return err
		}
		r.record.ExpireAt = int64(binary.LittleEndian.Uint64(b))
	case opExpire:
		b, err := s.take(4, "an expiry in seconds")
		if err != nil {
			return err
		}
		r.record.ExpireAt = littleEndian(b) * 1000
	case opIdle:
		n, err := s.length("an idle time")
		if err == nil && n > math.MaxInt64 {
			err = fault(from, "an idle time", "%d seconds", n)
		}
		r.record.Idle = int64(n)
		return err
	case opFreq:
		b, err := s.byte("a use counter")
		r.record.Freq = int(b)
		return err
	}
	return nil
}

func (r *Reader) selectDB() error {
	from := r.src.offset()
	db, err := r.src.length("the number of a database")
	if err == nil && db > math.MaxInt32 {
		err = fault(from, "the number of a database", "%d", db)
	}
	r.record.DB, r.announced = int(db), 0
	return err
}

func (r *Reader) resizeDB() (err error) {
	const what = "how many keys there are"
	if r.announced, err = r.src.length(what); err == nil {
		_, err = r.src.length(what) // that expire
	}
	return err
}

func (r *Reader) aux() error {
	b, err := r.src.text("the name of a fact about the file")
	if err != nil {
		return err
	}
	name := string(b)
	b, err = r.src.text("a fact about the file")
	if err == nil && r.options.Aux != nil {
		r.options.Aux(name, string(b))
	}
	return err
}

// end verifies the checksum. A file without one says 0. The first versions had none:
// theirs must end here, or one flipped bit would make version 9 a 1 and go unnoticed.
func (r *Reader) end() error {
	from, sum := r.src.offset(), r.src.sum()
	if r.version < crcSince {
		if b, err := r.src.byte("nothing"); err == nil {
			return fault(from, "the end of the file", "byte 0x%02x", b)
		} else if !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		return io.EOF
	}
	b, err := r.src.take(crcLen, "a checksum")
	if err != nil {
		return err
	}
	if says := binary.LittleEndian.Uint64(b); says != sum && says != 0 {
		return fault(from, "the checksum "+strconv.FormatUint(sum, 16)+" of what was read", "%x: the file is damaged", says)
	}
	return io.EOF
}
