package reservation

import "encoding/binary"

// A release says what a reservation counted, so that it can be given back at its end. It is a text that the
// caller keeps in an ordered set. The order of releases is that of their ends.
//
// The layout, in big-endian order:
//
//	0  header
//	9  end, hash, at, quantity: 8 bytes each
//	41 number of marks
//	42 marks: 4 + 1 + 8 + 8 bytes each, and the id
const (
	releaseHeader = "\x00release\x01"
	marksCountAt  = len(releaseHeader) + 4*8
	markBytes     = 4 + 1 + 8 + 8
)

// AppendRelease appends the release of a record. Records with the same end, hash, id, time, quantity and
// marks have the same release.
func (r *Record) AppendRelease(to []byte) []byte {
	to = append(to, releaseHeader...)
	for _, n := range [...]int64{r.End, int64(r.Hash), r.At, r.Quantity} {
		to = binary.BigEndian.AppendUint64(to, uint64(n))
	}
	to = append(to, byte(len(r.Marks)))
	for _, m := range r.Marks {
		to = append(binary.BigEndian.AppendUint32(to, m.Limit), flag(m.IsTime, 1))
		to = binary.BigEndian.AppendUint64(to, uint64(m.Value))
		to = binary.BigEndian.AppendUint64(to, uint64(m.Period))
	}
	return append(to, r.ID...)
}

// ReadRelease sets r to what a release says. It reuses the marks of r. The id lies in the bytes. ok is false
// for bytes that are not a release.
func ReadRelease(r *Record, release []byte) (ok bool) {
	if len(release) <= marksCountAt || string(release[:len(releaseHeader)]) != releaseHeader {
		return false
	}
	n, rest := int(release[marksCountAt]), release[marksCountAt+1:]
	if id := len(rest) - n*markBytes; n > MaxMarks || id <= 0 || id > MaxID {
		return false
	}
	number := func(i int) int64 { return int64(binary.BigEndian.Uint64(release[len(releaseHeader)+8*i:])) }
	*r = Record{End: number(0), Hash: uint64(number(1)), At: number(2), Quantity: number(3), Marks: r.Marks[:0]}
	for ; n > 0; n-- {
		r.Marks = append(r.Marks, Mark{binary.BigEndian.Uint32(rest), rest[4] != 0,
			int64(binary.BigEndian.Uint64(rest[5:])), int64(binary.BigEndian.Uint64(rest[13:]))})
		rest = rest[markBytes:]
	}
	r.ID = rest
	return r.End >= r.At && r.Quantity >= 0
}
