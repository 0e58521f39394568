package reservation

import "errors"

// MaxRecords is the number of records that a bucket may have.
const MaxRecords = 64

// Form is the form of a bucket. All entries have the same layout. A bucket begins with its form, and no text
// begins so.
type Form string

// The forms.
const (
	Shared   Form = "\x01rsv\x03" // for the reservations of one key
	Numbered Form = "\x00rsv\x02" // for some reservations of one key
)

const formBytes = len(Shared)

// Errors of a bucket.
var (
	ErrNoBucket = errors.New("the key holds no reservations")
	ErrFull     = errors.New("too many reservations of this key have not ended")
)

// The room of a bucket, in bytes.
const (
	Room     = 24   // in new memory: a settlement usually adds as many
	MostRoom = 2048 // in memory that is used again: about sixteen records with their settlements
)

func (f Form) begins(bucket []byte) bool {
	return len(bucket) >= formBytes && string(bucket[:formBytes]) == string(f)
}

// Found is what [Find] found in a bucket.
type Found struct {
	OK       bool // the record is there, and has not ended
	Position int  // of the record, for [AppendSettlement]
	Records  int  // of the bucket
	Ended    int  // how many of them have ended
	Torn     bool // bytes follow that are no entries: nobody would find an entry after them
}

// Find sets r to the record of a hash and an id in a bucket, if it has not ended at now. A nil bucket is
// empty.
func Find(r *Record, form Form, bucket []byte, hash uint64, id []byte, now int64) (f Found, err error) {
	if len(bucket) == 0 {
		return f, nil
	}
	if !form.begins(bucket) {
		return f, ErrNoBucket
	}
	e, rest := cut(bucket[formBytes:])
	for ; e != nil; e, rest = cut(rest) {
		if e.settles() {
			if f.OK && int(e[positionAt]) == f.Position && !e.settle(r) {
				return f, ErrNoBucket
			}
			continue
		}
		if f.Records == MaxRecords {
			rest = e
			break
		}
		if now >= e.end() {
			f.Ended++
		} else if !f.OK && e.is(hash, id) {
			if !e.read(r) {
				return f, ErrNoBucket
			}
			f.Position, f.OK = f.Records, true
		}
		f.Records++
	}
	if f.Torn = len(rest) > 0; f.Torn && f.OK {
		return f, ErrNoBucket // nobody would find a settlement at the end
	}
	return f, nil
}

// Put returns a bucket of a form with one record added, or replaced if the bucket has it already. It appends
// this bucket to its first argument. Put drops the records that have ended at now. last is the latest end of
// a record.
func Put(to []byte, form Form, bucket []byte, r *Record, now int64) (next []byte, last int64, err error) {
	next, last = append(to, form...), r.End
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
	if to = r.AppendEntry(to); r.Settled {
		to = AppendSettlement(to, position, &r.Real)
	}
	return to
}

// rewrite appends the entries of a bucket. f says what takes the place of a reservation; nil drops it with
// its settlement. n is the number of reservations that stay.
func rewrite(to, bucket []byte, f func(entry) entry) (next []byte, n int) {
	var moved [MaxRecords]byte // 1 + the next position of the reservation at a position; 0 if it is dropped
	was := 0
	for e, rest := cut(bucket[formBytes:]); e != nil; e, rest = cut(rest) {
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
