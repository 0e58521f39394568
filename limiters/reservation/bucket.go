package reservation

import (
	"encoding/binary"
	"errors"
	"iter"
)

// MaxRecords is the number of records that a bucket may have.
const MaxRecords = 64

// header is the beginning of each bucket. No text begins so.
const header = "\x00reservations\x01"

// Errors of a bucket.
var (
	ErrNoBucket = errors.New("the key holds no reservations")
	ErrFull     = errors.New("too many reservations of this key have not ended")
)

// records returns the records of a bucket. It stops at the first bytes that are not a record.
func records(bucket []byte) iter.Seq[raw] {
	return func(yield func(raw) bool) {
		for rest := bucket[len(header):]; len(rest) >= lengthBytes; {
			n := int(binary.LittleEndian.Uint16(rest))
			if n > len(rest) || !raw(rest[:n]).ok() || !yield(raw(rest[:n])) {
				return
			}
			rest = rest[n:]
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
	at = len(header)
	for b := range records(bucket) {
		if b.is(hash, id) && now < b.end() {
			b.read(r)
			return at, true, nil
		}
		at += len(b)
	}
	return 0, false, nil
}

// Settle stores the answer to a settlement in a record of a bucket. at is where the record begins. Settle appends the
// bytes that change to its first argument. from is where these bytes begin in the bucket. No other byte changes or
// moves.
func Settle(to, bucket []byte, at int, real Numbers) (changed []byte, from int) {
	f := *(*fixed)(bucket[at:])
	f[flagsAt] |= flagSettled
	f.setNumbers(realAt, flagRealLimited, &real)
	return append(to, f[flagsAt:]...), at + flagsAt
}

// Put returns a bucket with one record added, or replaced if the bucket has it already. It appends this bucket to its
// first argument. Put drops the records that have ended at now. last is the latest end of a record.
func Put(to, bucket []byte, r *Record, now int64) (next []byte, last int64, err error) {
	next, last = append(to, header...), r.End
	n := 1
	if len(bucket) > 0 {
		for b := range records(bucket) {
			if now >= b.end() || b.is(r.Hash, r.ID) {
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

// MoveBack moves all times of the records back. It appends the new bucket to its first argument.
func MoveBack(to, bucket []byte, back int64) []byte {
	to = append(to, header...)
	var r Record
	for b := range records(bucket) {
		b.read(&r)
		r.moveBack(back)
		to = r.append(to)
	}
	return to
}
