package reservation

import "errors"

// MaxRecords is the number of records that a bucket may have.
const MaxRecords = 64

// header is the beginning of each bucket. No text begins so.
const header = "\x00rsv\x02"

// Errors of a bucket.
var (
	ErrNoBucket = errors.New("the key holds no reservations")
	ErrFull     = errors.New("too many reservations of this key have not ended")
)

// Room is the number of bytes that a settlement usually adds to a bucket.
const Room = 24

// Is reports whether bytes begin like a bucket of this version, or of an older one.
func Is(bucket []byte) bool { return isNew(bucket) || IsOld(bucket) }

func isNew(bucket []byte) bool {
	return len(bucket) >= len(header) && string(bucket[:len(header)]) == header
}

// Find sets r to the record of a hash and an id in a bucket, if it has not ended at now. A nil bucket is empty. position is the
// position of the record, for [Settle].
func Find(r *Record, bucket []byte, hash uint64, id []byte, now int64) (position int, found bool, err error) {
	if len(bucket) == 0 {
		return 0, false, nil
	}
	if !isNew(bucket) {
		return 0, false, ErrNoBucket
	}
	n := 0 // reservations so far
	e, rest := cut(bucket[len(header):])
	for ; e != nil; e, rest = cut(rest) {
		if e.settles() {
			if found && int(e[positionAt]) == position && !e.settle(r) {
				return 0, false, ErrNoBucket
			}
			continue
		}
		if n == MaxRecords {
			rest = e
			break
		}
		if !found && now < e.end() && e.is(hash, id) {
			if !e.read(r) {
				return 0, false, ErrNoBucket
			}
			position, found = n, true
		}
		n++
	}
	if found && len(rest) > 0 {
		return 0, false, ErrNoBucket // nobody would find a settlement at the end
	}
	return position, found, nil
}

// Settle appends to its first argument the bytes that a settlement adds to the end of a bucket. position is that of the record,
// from [Find]. real is the answer to the settlement.
func Settle(to []byte, position int, real Numbers) []byte {
	return appendSettlement(to, position, &real)
}

// Put returns a bucket with one record added, or replaced if the bucket has it already. It appends this bucket to its
// first argument. Put drops the records that have ended at now. last is the latest end of a record.
func Put(to, bucket []byte, r *Record, now int64) (next []byte, last int64, err error) {
	next, last = append(to, header...), r.End
	n := 0
	if len(bucket) > 0 {
		next, n = rewrite(next, bucket, func(e entry) entry {
			if now >= e.end() || e.is(r.Hash, r.ID) {
				return nil
			}
			last = max(last, e.end())
			return e
		})
	}
	if n >= MaxRecords {
		return nil, 0, ErrFull
	}
	return r.append(next, n), last, nil
}

// append appends a record that has a position, and its settlement if there is one.
func (r *Record) append(to []byte, position int) []byte {
	if to = r.appendEntry(to); r.Settled {
		to = appendSettlement(to, position, &r.Real)
	}
	return to
}

// rewrite appends the entries of a bucket. f says what takes the place of a reservation; nil drops it with its settlement. n is the
// number of reservations that stay.
func rewrite(to, bucket []byte, f func(entry) entry) (next []byte, n int) {
	var moved [MaxRecords]byte // 1 + the next position of the reservation at a position; 0 if it is dropped
	was := 0
	for e, rest := cut(bucket[len(header):]); e != nil; e, rest = cut(rest) {
		if e.settles() {
			if p := int(e[positionAt]); p < was && moved[p] > 0 {
				to = append(to, e...)
				to[len(to)-len(e)+positionAt] = moved[p] - 1
			}
			continue
		}
		if was == MaxRecords {
			break
		}
		if kept := f(e); kept != nil {
			n++
			to, moved[was] = append(to, kept...), byte(n)
		}
		was++
	}
	return to, n
}

// MoveBack moves all times of the records back. It appends the new bucket to its first argument.
func MoveBack(to, bucket []byte, back int64) []byte {
	if IsOld(bucket) {
		bucket = Renew(bucket)
	}
	var r Record
	to, _ = rewrite(append(to, header...), bucket, func(e entry) entry {
		if !e.read(&r) {
			return nil
		}
		r.moveBack(back)
		return r.appendEntry(nil)
	})
	return to
}
