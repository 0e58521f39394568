package reservation

import "encoding/binary"

// An older version wrote buckets of another form. They begin with oldHeader, and have records of this layout, in little-endian
// order:
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
	oldHeader    = "\x00reservations\x01"
	oldNumbersAt = 5
	oldMarksAt   = 101

	oldSettled     = 1
	oldLimited     = 2 // of the reservation
	oldRealLimited = 4
	oldReleases    = 8
	oldScopes      = 16
	oldFlags       = 2*oldScopes - 1
)

// IsOld reports whether bytes begin like a bucket of the older version.
func IsOld(bucket []byte) bool {
	return len(bucket) >= len(oldHeader) && string(bucket[:len(oldHeader)]) == oldHeader
}

// Renew returns the records of a bucket of the older version, in a bucket of this version. It stops at the first bytes that are
// not a record.
func Renew(old []byte) []byte {
	next := []byte(Numbered)
	rest := old[len(oldHeader):]
	for n := 0; n < MaxRecords && len(rest) > oldMarksAt; n++ {
		size := int(binary.LittleEndian.Uint16(rest))
		var r Record
		if size > len(rest) || !r.readOld(rest[:size]) {
			break
		}
		next, rest = r.append(next, n), rest[size:]
	}
	return next
}

// readOld sets r to a record of the older version, and reports whether the bytes are one.
func (r *Record) readOld(b []byte) bool {
	if len(b) <= oldMarksAt || b[2] > oldFlags || b[3] == 0 || b[3] > MaxID || b[4] > MaxMarks {
		return false
	}
	number := func(i int) int64 { return int64(binary.LittleEndian.Uint64(b[oldNumbersAt+8*i:])) }
	flags, marksEnd, idAt := b[2], oldMarksAt+int(b[4])*markBytes, len(b)-int(b[3])
	if marksEnd > idAt {
		return false
	}
	*r = Record{ID: b[idAt:], Hash: uint64(number(0)), At: number(1), End: number(2), Quantity: number(3),
		Settled: flags&oldSettled != 0, Releases: flags&oldReleases != 0,
		Reserved: Numbers{flags&oldLimited != 0, number(4), number(5), number(6), number(7)},
		Real:     Numbers{flags&oldRealLimited != 0, number(8), number(9), number(10), number(11)}}
	for m := b[oldMarksAt:marksEnd]; len(m) > 0; m = m[markBytes:] {
		r.Marks = append(r.Marks, Mark{binary.LittleEndian.Uint32(m), m[4] != 0,
			int64(binary.LittleEndian.Uint64(m[5:])), int64(binary.LittleEndian.Uint64(m[13:]))})
	}
	if flags&oldScopes == 0 {
		return marksEnd == idAt
	}
	r.Scopes = b[marksEnd:idAt]
	return areScopes(r.Scopes)
}
