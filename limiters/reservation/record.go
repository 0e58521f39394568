package reservation

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// Bounds of a record.
const (
	MaxID    = 128 // bytes
	MaxMarks = 8
)

// Numbers are the numbers of an answer. Times are in ns.
type Numbers struct {
	Limited                                  bool
	Limit, Remaining, RetryAfter, ResetAfter int64
}

// Mark is what a limit must know to correct what it counted. Limit identifies the limit in its rule. IsTime says that the value
// is a time in ns since the epoch.
type Mark struct {
	Limit         uint32
	IsTime        bool
	Value, Period int64
}

// Record is one reservation. Times are in ns since the epoch.
type Record struct {
	ID       []byte
	Hash     uint64 // of the keys and of the id
	At, End  int64  // it was made at At; from End on no settlement is possible
	Quantity int64
	Settled  bool
	Releases bool    // it is given back at its end, unless it is settled
	Reserved Numbers // the answer to the reservation
	Real     Numbers // the answer to the settlement
	Marks    []Mark  // at most MaxMarks; none if nothing was counted
	Scopes   []byte  // the scopes that have its release, one for each key, as AppendScope makes them; nil without a release
}

// AppendScope appends the name of a scope, which has at most 255 bytes, to the scopes of a record.
func AppendScope(scopes []byte, name string) []byte {
	return append(append(scopes, byte(len(name))), name...)
}

// EachScope returns the names of scopes, each with its position.
func EachScope(scopes []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i := 0; len(scopes) > 0; i++ {
			end := 1 + int(scopes[0])
			if end > len(scopes) || !yield(i, scopes[1:end]) {
				return
			}
			scopes = scopes[end:]
		}
	}
}

// areScopes reports whether bytes are the names of 1 to MaxMarks scopes.
func areScopes(bytes []byte) bool {
	n, size := 0, 0
	for _, name := range EachScope(bytes) {
		n, size = n+1, size+1+len(name)
	}
	return 0 < n && n <= MaxMarks && size == len(bytes)
}

// The layout of a record, in little-endian order:
//
//	0   length of the record, 2 bytes
//	2   flags
//	3   length of the id
//	4   number of marks
//	5   hash, at, end, quantity: 8 bytes each
//	37  the numbers of both answers: 8 bytes each
//	101 marks: 4 + 1 + 8 + 8 bytes each
//	    the scopes, if their flag is set: 1 byte for the length of each name, and the name
//	    the id
const (
	flagsAt   = 2
	countsAt  = 5
	answersAt = countsAt + 4*8
	marksAt   = answersAt + 8*8
	markBytes = 4 + 1 + 8 + 8

	flagSettled          = 1
	flagLimited          = 2 // of the reservation
	flagRealLimited      = 4
	flagReleases         = 8
	flagScopes           = 16
	knownFlags           = flagSettled | flagLimited | flagRealLimited | flagReleases | flagScopes
	longestRecord        = marksAt + MaxMarks*markBytes + MaxMarks*(1+255) + MaxID
	shortestRecord       = marksAt + 1
	lengthBytes          = 2
	_               uint = 1<<16 - longestRecord // a length fits into two bytes
)

// fixed is the beginning of each record, up to its marks.
type fixed [marksAt]byte

// number returns the i-th number after the header.
func (f *fixed) number(i int) int64 { return int64(binary.LittleEndian.Uint64(f[countsAt+8*i:])) }

func (f *fixed) set(i int, n int64) { binary.LittleEndian.PutUint64(f[countsAt+8*i:], uint64(n)) }

// Where the numbers of both answers begin, among the numbers after the header.
const (
	reservedAt = 4
	realAt     = 8
)

// numbers returns the answer whose first number is the i-th.
func (f *fixed) numbers(i int, limited byte) Numbers {
	return Numbers{f[flagsAt]&limited != 0, f.number(i), f.number(i + 1), f.number(i + 2), f.number(i + 3)}
}

// setNumbers writes an answer whose first number is the i-th.
func (f *fixed) setNumbers(i int, limited byte, n *Numbers) {
	f[flagsAt] |= flag(n.Limited, limited)
	to := (*[4 * 8]byte)(f[countsAt+8*i:]) // one check of the bounds
	binary.LittleEndian.PutUint64(to[0:], uint64(n.Limit))
	binary.LittleEndian.PutUint64(to[8:], uint64(n.Remaining))
	binary.LittleEndian.PutUint64(to[16:], uint64(n.RetryAfter))
	binary.LittleEndian.PutUint64(to[24:], uint64(n.ResetAfter))
}

// append appends the bytes of a record.
func (r *Record) append(to []byte) []byte {
	begin, size := len(to), marksAt+len(r.Marks)*markBytes+len(r.Scopes)+len(r.ID)
	to = append(to, new(fixed)[:]...)
	f := (*fixed)(to[begin:])
	binary.LittleEndian.PutUint16(f[:], uint16(size))
	f[flagsAt] = flag(r.Settled, flagSettled) | flag(r.Releases, flagReleases) | flag(len(r.Scopes) > 0, flagScopes)
	f[3], f[4] = byte(len(r.ID)), byte(len(r.Marks))
	f.set(0, int64(r.Hash))
	f.set(1, r.At)
	f.set(2, r.End)
	f.set(3, r.Quantity)
	f.setNumbers(reservedAt, flagLimited, &r.Reserved)
	f.setNumbers(realAt, flagRealLimited, &r.Real)
	for i := range r.Marks {
		m := &r.Marks[i]
		to = append(binary.LittleEndian.AppendUint32(to, m.Limit), flag(m.IsTime, 1))
		to = binary.LittleEndian.AppendUint64(to, uint64(m.Value))
		to = binary.LittleEndian.AppendUint64(to, uint64(m.Period))
	}
	return append(append(to, r.Scopes...), r.ID...)
}

func flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}

// raw is the bytes of one record.
type raw []byte

// ok reports whether the bytes are a record.
func (b raw) ok() bool {
	if len(b) < shortestRecord || b[flagsAt]&^knownFlags != 0 || b[3] == 0 || b[3] > MaxID || b[4] > MaxMarks {
		return false
	}
	switch scopes := len(b) - b.marksEnd() - int(b[3]); {
	case scopes < 0:
		return false
	case b[flagsAt]&flagScopes == 0:
		return scopes == 0
	default:
		return areScopes(b[b.marksEnd():][:scopes])
	}
}

// marksEnd returns where the marks end.
func (b raw) marksEnd() int { return marksAt + int(b[4])*markBytes }

// fixed returns the beginning of the record.
func (b raw) fixed() *fixed { return (*fixed)(b) }

func (b raw) end() int64 { return b.fixed().number(2) }

// id returns the id.
func (b raw) id() []byte { return b[len(b)-int(b[3]):] }

// is reports whether the record has a hash and an id.
func (b raw) is(hash uint64, id []byte) bool {
	return uint64(b.fixed().number(0)) == hash && bytes.Equal(b.id(), id)
}

// read sets r to the record. It reuses the marks of r. The scopes and the id lie in the bytes.
func (b raw) read(r *Record) {
	f := b.fixed()
	r.ID, r.Hash, r.At, r.End, r.Quantity = b.id(), uint64(f.number(0)), f.number(1), f.number(2), f.number(3)
	r.Settled, r.Releases = f[flagsAt]&flagSettled != 0, f[flagsAt]&flagReleases != 0
	r.Reserved, r.Real = f.numbers(reservedAt, flagLimited), f.numbers(realAt, flagRealLimited)
	r.Marks, r.Scopes = r.Marks[:0], nil
	if f[flagsAt]&flagScopes != 0 {
		r.Scopes = b[b.marksEnd() : len(b)-int(b[3])]
	}
	for at := marksAt; at < b.marksEnd(); at += markBytes {
		r.Marks = append(r.Marks, Mark{binary.LittleEndian.Uint32(b[at:]), b[at+4] != 0,
			int64(binary.LittleEndian.Uint64(b[at+5:])), int64(binary.LittleEndian.Uint64(b[at+13:]))})
	}
}
