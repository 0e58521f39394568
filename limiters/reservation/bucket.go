package reservation

import (
	"encoding/binary"
	"errors"
	"iter"
)

// The number of records that a bucket may have.
const (
	MaxRecords = 64 // if [Put] writes it
	MaxPlaced  = 16 // if [Place] writes it
)

// header is the beginning of each bucket. No text begins so.
const header = "\x00reservations\x01"

// Errors of a bucket.
var (
	ErrNoBucket = errors.New("the key holds no reservations")
	ErrFull     = errors.New("too many reservations of this key have not ended")
)

// slots returns the slots of a bucket with their positions. Each of them is a record or a gap. It stops with the first bytes that
// are neither.
func slots(bucket []byte) iter.Seq2[int, raw] {
	return func(yield func(int, raw) bool) {
		for at := len(header); len(bucket)-at >= lengthBytes; {
			n := int(binary.LittleEndian.Uint16(bucket[at:]))
			if n > len(bucket)-at {
				return
			}
			b := raw(bucket[at : at+n])
			if !b.isGap() && !b.ok() || !yield(at, b) {
				return
			}
			at += n
		}
	}
}

// Is reports whether bytes begin like a bucket.
func Is(bucket []byte) bool {
	return len(bucket) >= len(header) && string(bucket[:len(header)]) == header
}

// Find sets r to the record of a hash and an id in a bucket, if it has not ended at now. at is where the record begins. A nil
// bucket is empty.
func Find(r *Record, bucket []byte, hash uint64, id []byte, now int64) (at int, found bool, err error) {
	if len(bucket) == 0 {
		return 0, false, nil
	}
	if !Is(bucket) {
		return 0, false, ErrNoBucket
	}
	for at, b := range slots(bucket) {
		if b.lives(now) && b.is(hash, id) {
			b.read(r)
			return at, true, nil
		}
	}
	return 0, false, nil
}

// Settle gives the record that begins at a position of a bucket the answer to its settlement. It appends to to the bytes that
// change, and returns where they begin. They do not move.
func Settle(to, bucket []byte, at int, real Numbers) (changed []byte, from int) {
	f := *(*fixed)(bucket[at:])
	f[flagsAt] |= flagSettled
	f.setNumbers(realAt, flagRealLimited, &real)
	return append(to, f[flagsAt:]...), at + flagsAt
}

// Place finds room for a new record in a bucket of at most [MaxPlaced] records. It appends to to the bytes to write, and returns
// where they begin. They may end after the bucket. No other record moves. The room is that of records that have ended at now.
func Place(to, bucket []byte, r *Record, now int64) (changed []byte, from int, err error) {
	if len(bucket) == 0 {
		return r.append(append(to, header...)), 0, nil
	}
	size, n, free, gap := r.size(), 1, len(header), 0
	for at, b := range slots(bucket) {
		if !b.lives(now) {
			continue
		}
		if left := at - free - size; from == 0 && (left == 0 || shortestGap <= left && left <= longestGap) {
			from, gap = free, left
		}
		free = at + len(b)
		n++
	}
	switch {
	case n > MaxPlaced:
		return nil, 0, ErrFull
	case from > 0:
		return appendGap(r.append(to), gap), from, nil
	}
	to = r.append(to)
	if left := len(bucket) - free - size; left >= lengthBytes {
		to = append(to, 0, 0) // no slot begins like this, so the rest is free
	}
	return to, free, nil
}

// Put appends to to the bucket with one record added, or replaced if it is there. It drops the records that have ended at now.
// last is the latest end of a record.
func Put(to, bucket []byte, r *Record, now int64) (next []byte, last int64, err error) {
	next, last = append(to, header...), r.End
	n := 1
	if len(bucket) > 0 {
		for _, b := range slots(bucket) {
			if !b.lives(now) || b.is(r.Hash, r.ID) {
				continue
			}
			next, last = append(next, b...), max(last, b.end())
			n++
		}
	}
	if n > MaxRecords {
		return nil, 0, ErrFull
	}
	return r.append(next), last, nil
}

// MoveBack appends to to the bucket with all times of its records moved back.
func MoveBack(to, bucket []byte, back int64) []byte {
	to = append(to, header...)
	var r Record
	for _, b := range slots(bucket) {
		if b.isGap() {
			continue
		}
		b.read(&r)
		r.moveBack(back)
		to = r.append(to)
	}
	return to
}
