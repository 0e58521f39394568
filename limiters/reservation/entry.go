package reservation

import (
	"bytes"
	"encoding/binary"
)

// An entry of a bucket is a reservation, or the settlement of a reservation before it. Numbers with a size
// in this table are in little-endian order. All other numbers have the form of numbers.go. An answer is four
// of these: limit, remaining, retry after and reset after.
//
//	a reservation                        a settlement
//	0  size of the entry, 2 bytes        0  size of the entry, 2 bytes
//	2  flags, 1 byte                     2  flags, 1 byte
//	3  size of the id, 1 byte            3  position of its reservation among the reservations, 1 byte
//	4  number of marks, 1 byte           4  the answer
//	5  hash and end, 8 bytes each
//	21 the id
//	   end - at, quantity, the answer
//	   for each mark whose value is a time: 2 * limit + 1, value - at, period
//	   for each other mark: 2 * limit, value, period
//	   the scopes: 1 byte for the length of each name, and the name
type entry []byte

const (
	flagsAt    = 2
	idSizeAt   = 3
	positionAt = 3
	answerAt   = 4
	marksAt    = 4
	hashAt     = 5
	endAt      = 13
	idAt       = 21

	flagSettles  = 1 // the entry is a settlement
	flagLimited  = 2 // of the answer
	flagReleases = 4
	flagScopes   = 8
	knownFlags   = flagSettles | flagLimited | flagReleases | flagScopes

	longestEntry    = idAt + MaxID + longestNumber*(6+3*MaxMarks) + MaxMarks*(1+255)
	settlementBytes = answerAt + longestNumber*4 // of the longest one

	_ uint = 1<<16 - longestEntry // a size fits into two bytes
)

// AppendEntry appends the bytes that a record adds to the end of a bucket. The record is not settled.
func (r *Record) AppendEntry(to []byte) []byte {
	begin := len(to)
	flags := flag(r.Reserved.Limited, flagLimited) | flag(r.Releases, flagReleases) | flag(len(r.Scopes) > 0, flagScopes)
	to = append(to, 0, 0, flags, byte(len(r.ID)), byte(len(r.Marks)))
	to = binary.LittleEndian.AppendUint64(to, r.Hash)
	to = binary.LittleEndian.AppendUint64(to, uint64(r.End))
	to = append(to, r.ID...)
	to = appendNumber(to, r.End-r.At)
	to = appendNumber(to, r.Quantity)
	to = r.Reserved.append(to)
	for i := range r.Marks {
		to = r.Marks[i].append(to, r.At)
	}
	return sized(append(to, r.Scopes...), begin)
}

func (n *Numbers) append(to []byte) []byte {
	to = appendNumber(to, n.Limit)
	to = appendNumber(to, n.Remaining)
	to = appendNumber(to, n.RetryAfter)
	return appendNumber(to, n.ResetAfter)
}

// append appends the mark of a reservation at a time.
func (m *Mark) append(to []byte, at int64) []byte {
	limit, value := int64(m.Limit)<<1, m.Value
	if m.IsTime {
		limit, value = limit|1, value-at
	}
	return appendNumber(appendNumber(appendNumber(to, limit), value), m.Period)
}

// AppendSettlement appends the bytes that a settlement adds to the end of a bucket. position is that of the
// record, from [Find]. real is the answer to the settlement.
func AppendSettlement(to []byte, position int, real *Numbers) []byte {
	begin := len(to)
	to = append(to, 0, 0, flagSettles|flag(real.Limited, flagLimited), byte(position))
	return sized(real.append(to), begin)
}

// sized writes the size of an entry that begins at a place of b and ends with b.
func sized(b []byte, begin int) []byte {
	binary.LittleEndian.PutUint16(b[begin:], uint16(len(b)-begin))
	return b
}

// cut returns the first entry of a part of a bucket, and the bytes after it. If the part does not begin with
// an entry, the entry is nil, and rest is the part. The bytes after the head of the entry may be wrong.
func cut(part []byte) (first entry, rest []byte) {
	if len(part) < answerAt {
		return nil, part
	}
	n := int(binary.LittleEndian.Uint16(part))
	if n > len(part) || !entry(part[:n]).ok() {
		return nil, part
	}
	return entry(part[:n]), part[n:]
}

// ok reports whether the head of an entry is valid.
func (e entry) ok() bool {
	if len(e) < answerAt || e[flagsAt]&^knownFlags != 0 {
		return false
	}
	size := int(e[idSizeAt])
	return e.settles() || 0 < size && size <= MaxID && idAt+size <= len(e)
}

// settles reports whether the entry is a settlement.
func (e entry) settles() bool { return e[flagsAt]&flagSettles != 0 }

// end returns the end of a reservation.
func (e entry) end() int64 { return int64(binary.LittleEndian.Uint64(e[endAt:])) }

func (e entry) hash() uint64 { return binary.LittleEndian.Uint64(e[hashAt:]) }

func (e entry) id() []byte { return e[idAt : idAt+int(e[idSizeAt])] }

// is reports whether a reservation has a hash and an id. Ids differ most at their ends.
func (e entry) is(hash uint64, id []byte) bool {
	own := e.id()
	return len(own) == len(id) && own[len(own)-1] == id[len(id)-1] && e.hash() == hash && bytes.Equal(own, id)
}

// read sets r to a reservation, and reports whether its bytes are valid. It reuses the marks of r. The
// scopes and the id of r refer to these bytes.
func (e entry) read(r *Record) bool {
	flags, id, marks := e[flagsAt], e.id(), e[marksAt]
	if marks > MaxMarks {
		return false
	}
	r.ID, r.Hash, r.End = id, e.hash(), e.end()
	ttl, at := number(e, idAt+len(id))
	r.At = r.End - ttl
	r.Quantity, at = number(e, at)
	r.Settled, r.Releases, r.Real = false, flags&flagReleases != 0, Numbers{}
	at = r.Reserved.read(e, at)
	r.Marks, r.Scopes = r.Marks[:0], nil
	for range marks {
		var m Mark
		at = m.read(e, at, r.At)
		r.Marks = append(r.Marks, m)
	}
	if at >= len(e) || flags&flagScopes == 0 {
		return at == len(e) && flags&flagScopes == 0
	}
	r.Scopes = e[at:]
	return areScopes(r.Scopes)
}

// settle sets the real answer of r to that of a settlement, and reports whether its bytes are valid.
func (e entry) settle(r *Record) bool {
	r.Settled = true
	return r.Real.read(e, answerAt) == len(e)
}

// read reads the answer at a place of an entry. end is as in [number].
func (n *Numbers) read(e entry, at int) (end int) {
	n.Limited = e[flagsAt]&flagLimited != 0
	n.Limit, at = number(e, at)
	n.Remaining, at = number(e, at)
	n.RetryAfter, at = number(e, at)
	n.ResetAfter, at = number(e, at)
	return at
}

// read reads the mark at a place of an entry, whose reservation was made at a time. end is as in [number].
func (m *Mark) read(e entry, at int, made int64) (end int) {
	limit, at := number(e, at)
	m.Limit, m.IsTime = uint32(limit>>1), limit&1 != 0
	m.Value, at = number(e, at)
	m.Period, at = number(e, at)
	if m.IsTime {
		m.Value += made
	}
	return at
}
