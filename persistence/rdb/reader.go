package rdb

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"

	"cellserver/persistence/rdb/encoding"
	"cellserver/store"
)

// Error is a fault of the input, with its place.
type Error = encoding.Error

// Options are the options of a [Reader].
type Options struct {
	// SkipUnsupported leaves out and counts keys of unsupported types, function libraries and the data of
	// modules. Without it, they are errors.
	SkipUnsupported bool

	// Aux is called for every fact about the file ([Writer.Aux]). It may be nil.
	Aux func(name, value string)
}

// Record is one key of a file. Its slices are borrowed: they are valid until the next record is read.
type Record struct {
	DB       int
	Key      []byte
	ExpireAt int64 // Unix milliseconds, or store.NoExpiry
	Idle     int64 // seconds since the key was used, or -1: unknown
	Freq     int   // the LFU counter of the key, 0 to 255, or -1: unknown
	Value    Value
}

// unknown is a Record's Idle or Freq if the file does not have it.
const unknown = -1

// Reader reads a file, one key after the other.
type Reader struct {
	dec     encoding.Decoder
	options Options
	version int // 0 before the header was read
	record  Record
	db      int // of the next keys
	// announced is the number of keys that the file claims for the current database. The loader
	// sets it to 0 when it has made room for them.
	announced uint64
	skipped   map[string]int
	err       error // the error of all further calls of Next
}

// NewReader returns a reader of a file. It reads ahead in large pieces.
func NewReader(in io.Reader, o Options) *Reader {
	return &Reader{dec: encoding.NewDecoder(in), options: o, skipped: map[string]int{}}
}

// Next returns the next key. Its error is io.EOF after the whole file, if the checksum is right. It is an
// [Error] if the file is damaged, or an [Unsupported]. After every error except io.EOF the caller must drop
// all keys of the file, because the checksum covers the whole file.
func (r *Reader) Next() (*Record, error) {
	if r.err == nil && r.version == 0 {
		r.err = r.header()
	}
	r.clearAttributes()
	for r.err == nil {
		var found bool
		if found, r.err = r.step(); found && r.err == nil {
			return &r.record, nil
		}
	}
	return nil, r.err
}

// Offset returns how many bytes of the file have been read.
func (r *Reader) Offset() int64 { return r.dec.Offset() }

// Skipped counts, by name, the parts of the file that the reader left out. Sorted sets without members count,
// too: a bug of old servers wrote them.
func (r *Reader) Skipped() map[string]int { return r.skipped }

// clearAttributes drops the attributes of the last key.
func (r *Reader) clearAttributes() {
	r.record.ExpireAt, r.record.Idle, r.record.Freq = store.NoExpiry, unknown, unknown
}

func (r *Reader) header() error {
	b, err := r.dec.Take(uint64(headerSize), "the header of an RDB file")
	if err != nil {
		return err
	}
	if string(b) == valkeyMagic {
		r.version = valkeyVersion
		return nil
	}
	if string(b[:len(magic)]) != magic {
		return encoding.Errorf(0, `"REDIS" or "VALKEY080"`, "%q", b)
	}
	digits := string(b[len(magic):])
	version, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || version < 1 || version > maxVersion {
		versions := "a version of the format from 1 to " + strconv.Itoa(maxVersion)
		return encoding.Errorf(int64(len(magic)), versions,
			"%q: a newer server wrote the file, or it is damaged", digits)
	}
	r.version = int(version)
	return nil
}

// step reads one opcode or key. It reports whether it read a key to keep.
func (r *Reader) step() (found bool, err error) {
	d := &r.dec
	from := d.Offset()
	kind, err := d.Byte("an opcode or the type of a value")
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
		return r.aux()
	case opResizeDB:
		return false, r.resizeDB()
	case opKeyMeta:
		return false, r.keyMeta(from)
	case opSlotInfo:
		return false, d.Lengths(3, "the number of keys of a slot")
	case opModuleAux:
		return false, r.moduleAux()
	case opFunction:
		return false, r.function()
	}
	return false, unknownType(from, kind)
}

// unknownType is the error of a byte that is neither an opcode nor a type.
func unknownType(at int64, b byte) error {
	const found = "%d, which is neither: a newer server wrote it, or the file is damaged"
	return encoding.Errorf(at, "an opcode or the type of a value", found, b)
}

// key reads a key and its value.
func (r *Reader) key(kind byte, from int64) (found bool, err error) {
	t := r.typeOf(kind)
	if t.name == "" {
		return false, unknownType(from, kind)
	}
	b, err := r.dec.Text("a key")
	if err != nil {
		return false, err
	}
	r.record.DB, r.record.Key = r.db, append(r.record.Key[:0], b...)
	if t.read == nil {
		return false, r.skipUnsupported(kind, from)
	}
	if err := t.readValue(&r.dec, &r.record.Value); err != nil {
		return false, err
	}
	if t.isEmpty(&r.record.Value) {
		r.skip("empty " + t.name)
		return false, nil
	}
	return true, nil
}

// skip counts a key that is left out.
func (r *Reader) skip(what string) {
	r.countSkipped(what)
	r.clearAttributes()
}

// maxSkipped bounds the names of what is left out: a file may have any names of module types.
const maxSkipped = 64

func (r *Reader) countSkipped(what string) {
	if _, known := r.skipped[what]; !known && len(r.skipped) >= maxSkipped {
		what = "others"
	}
	r.skipped[what]++
}

// skipUnsupported skips a value of an unsupported type, if the options allow it and the value says where it
// ends.
func (r *Reader) skipUnsupported(kind byte, from int64) error {
	t := r.typeOf(kind)
	name := t.name
	if kind == typeModule || kind == typeModuleOld {
		id, err := r.dec.Length(moduleID)
		if err != nil {
			return err
		}
		name += " " + moduleName(id)
	}
	if !r.options.SkipUnsupported || t.skip == nil {
		return &Unsupported{from, name, string(r.record.Key)}
	}
	if err := t.skip(&r.dec); err != nil {
		return err
	}
	r.skip(name)
	return nil
}

// keyMeta refuses metadata of modules (Redis) and a slot on its way from another node (Valkey).
func (r *Reader) keyMeta(from int64) error {
	found := "metadata of a module, which this server does not keep"
	if r.version == valkeyVersion {
		found = "a slot on its way from another node: let the move end, and save again"
	}
	return encoding.Errorf(from, "a key", "%s", found)
}

// typeOf returns what a type byte means in this file.
func (r *Reader) typeOf(kind byte) *typeInfo {
	if r.version == valkeyVersion && kind == typeHashExpiring {
		return &valkeyHash
	}
	return &types[kind]
}

// function skips a library of functions.
func (r *Reader) function() error {
	if err := r.leaveOut("function library", ""); err != nil {
		return err
	}
	return skipText(&r.dec)
}

// moduleAux skips data of a module that belongs to no key.
func (r *Reader) moduleAux() error {
	id, err := r.dec.Length(moduleID)
	if err != nil {
		return err
	}
	if err := r.leaveOut("data of module type "+moduleName(id), ""); err != nil {
		return err
	}
	return skipModule(&r.dec)
}

// attribute reads an attribute of the next key.
func (r *Reader) attribute(opcode byte) error {
	d := &r.dec
	from := d.Offset()
	switch opcode {
	case opExpireMs:
		b, err := d.Take(8, "an expiry in milliseconds")
		if err != nil {
			return err
		}
		r.record.ExpireAt = int64(binary.LittleEndian.Uint64(b))
	case opExpire:
		b, err := d.Take(4, "an expiry in seconds")
		if err != nil {
			return err
		}
		r.record.ExpireAt = encoding.SignedInt(b) * 1000
	case opIdle:
		n, err := d.Length("an idle time")
		if err == nil && n > math.MaxInt64 {
			err = encoding.Errorf(from, "an idle time", "%d seconds", n)
		}
		r.record.Idle = int64(n)
		return err
	case opFreq:
		b, err := d.Byte("an LFU counter")
		r.record.Freq = int(b)
		return err
	}
	return nil
}

func (r *Reader) selectDB() error {
	from := r.dec.Offset()
	db, err := r.dec.Length("the number of a database")
	if err == nil && db > math.MaxInt32 {
		err = encoding.Errorf(from, "the number of a database", "%d", db)
	}
	r.db, r.announced = int(db), 0
	return err
}

// resizeDB reads two hints: the number of keys, and the number of keys that expire.
func (r *Reader) resizeDB() (err error) {
	const what = "the number of keys"
	if r.announced, err = r.dec.Length(what); err == nil {
		_, err = r.dec.Length(what)
	}
	return err
}

// aux reads a fact. It reports whether the fact is a key of the server's own database.
func (r *Reader) aux() (found bool, err error) {
	b, err := r.dec.Text("the name of a fact about the file")
	if err != nil {
		return false, err
	}
	name := string(b)
	b, err = r.dec.Text("a fact about the file")
	switch {
	case err != nil:
		return false, err
	case name == ownFact:
		return true, r.own(b)
	case name == keydbMember:
		return false, r.expiringMember()
	case r.options.Aux != nil:
		r.options.Aux(name, string(b))
	}
	return false, nil
}

// expiringMember refuses an expiry that KeyDB gave a member of the last key. Its options say whether the
// member stays without the expiry.
func (r *Reader) expiringMember() error {
	return r.leaveOut("expiry of one member (KeyDB)", string(r.record.Key))
}

// leaveOut counts a part of the file that is not a key, or refuses it. The options say which. key is that of the
// part, "" for none.
func (r *Reader) leaveOut(what, key string) error {
	if !r.options.SkipUnsupported {
		return &Unsupported{r.dec.Offset(), what, key}
	}
	r.countSkipped(what)
	return nil
}

// end verifies the checksum. A checksum of 0 means that the writer computed no checksum. Files before
// version 5 have no checksum and must end here. Otherwise one flipped bit could turn version 9 into version
// 1 and hide damage.
func (r *Reader) end() error {
	from, sum := r.dec.Offset(), r.dec.Sum()
	if r.version < checksumSince {
		if b, err := r.dec.Byte("nothing"); err == nil {
			return encoding.Errorf(from, "the end of the file", "byte 0x%02x", b)
		} else if !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		return io.EOF
	}
	b, err := r.dec.Take(checksumSize, "a checksum")
	if err != nil {
		return err
	}
	if says := binary.LittleEndian.Uint64(b); says != sum && says != 0 {
		return encoding.Errorf(from, "the checksum "+strconv.FormatUint(sum, 16)+" of the file", "%x: the file is damaged", says)
	}
	return io.EOF
}
