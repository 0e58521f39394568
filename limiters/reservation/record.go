package reservation

import (
	"bytes"
	"encoding/binary"
)

// Bounds of a record.
const (
	MaxID    = 128 // bytes
	MaxMarks = 8
)

// Numbers are an answer. Times are in ns.
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
	At, End  int64  // it was made At, and nobody can settle it from End on
	Quantity int64
	Settled  bool
	Releases bool    // it is given back at its end, unless it is settled
	Reserved Numbers // the answer to the reservation
	Real     Numbers // the answer to the settlement
	Marks    []Mark  // at most MaxMarks; none if nothing was counted
}

// The layout of a record, in little-endian order:
//
//	0   length of the record, 2 bytes
//	2   flags
//	3   length of the id
//	4   number of marks
//	5   hash, at, end, quantity: 8 bytes each
//	37  the numbers of both answers: 8 bytes each
//	101 marks: 4 + 1 + 8 + 8 bytes each, and the id
const (
	countsAt  = 5
	answersAt = countsAt + 4*8
	marksAt   = answersAt + 8*8
	markBytes = 4 + 1 + 8 + 8

	flagSettled          = 1
	flagLimited          = 2 // of the reservation
	flagRealLimited      = 4
	flagReleases         = 8
	knownFlags           = flagSettled | flagLimited | flagRealLimited | flagReleases
	longestRecord        = marksAt + MaxMarks*markBytes + MaxID
	shortestRecord       = marksAt + 1
	lengthBytes          = 2
	_               uint = 1<<16 - longestRecord // a length fits into two bytes
)

// append appends the bytes of a record.
func (r *Record) append(to []byte) []byte {
	begin := len(to)
	flags := flag(r.Settled, flagSettled) | flag(r.Reserved.Limited, flagLimited) | flag(r.Real.Limited, flagRealLimited) | flag(r.Releases, flagReleases)
	to = append(to, 0, 0, flags, byte(len(r.ID)), byte(len(r.Marks)))
	for _, n := range [...]int64{int64(r.Hash), r.At, r.End, r.Quantity,
		r.Reserved.Limit, r.Reserved.Remaining, r.Reserved.RetryAfter, r.Reserved.ResetAfter,
		r.Real.Limit, r.Real.Remaining, r.Real.RetryAfter, r.Real.ResetAfter} {
		to = binary.LittleEndian.AppendUint64(to, uint64(n))
	}
	for _, m := range r.Marks {
		to = append(binary.LittleEndian.AppendUint32(to, m.Limit), flag(m.IsTime, 1))
		to = binary.LittleEndian.AppendUint64(to, uint64(m.Value))
		to = binary.LittleEndian.AppendUint64(to, uint64(m.Period))
	}
	to = append(to, r.ID...)
	binary.LittleEndian.PutUint16(to[begin:], uint16(len(to)-begin))
	return to
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
	return len(b) >= shortestRecord && len(b) == marksAt+int(b[4])*markBytes+int(b[3]) && b[2]&^knownFlags == 0 &&
		b[3] > 0 && b[3] <= MaxID && b[4] <= MaxMarks
}

// count returns the i-th number after the header.
func (b raw) count(i int) int64 { return int64(binary.LittleEndian.Uint64(b[countsAt+8*i:])) }

func (b raw) end() int64 { return b.count(2) }

// id returns the id.
func (b raw) id() []byte { return b[len(b)-int(b[3]):] }

// is reports whether the record has a hash and an id.
func (b raw) is(hash uint64, id []byte) bool {
	return uint64(b.count(0)) == hash && bytes.Equal(b.id(), id)
}

// numbers returns the answer whose numbers begin with the i-th.
func (b raw) numbers(i int, limited byte) Numbers {
	return Numbers{b[2]&limited != 0, b.count(i), b.count(i + 1), b.count(i + 2), b.count(i + 3)}
}

// read sets r to the record. It reuses the marks of r. The id lies in the bytes.
func (b raw) read(r *Record) {
	*r = Record{ID: b.id(), Hash: uint64(b.count(0)), At: b.count(1), End: b.end(), Quantity: b.count(3), Settled: b[2]&flagSettled != 0, Releases: b[2]&flagReleases != 0,
		Reserved: b.numbers(4, flagLimited), Real: b.numbers(8, flagRealLimited), Marks: r.Marks[:0]}
	for at := marksAt; at < len(b)-int(b[3]); at += markBytes {
		r.Marks = append(r.Marks, Mark{binary.LittleEndian.Uint32(b[at:]), b[at+4] != 0,
			int64(binary.LittleEndian.Uint64(b[at+5:])), int64(binary.LittleEndian.Uint64(b[at+13:]))})
	}
}
