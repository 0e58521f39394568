package rules

import (
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	"cellserver/internal/exact"
	"cellserver/internal/rediserr"
	"cellserver/limiters"
	"cellserver/limiters/reservation"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// The reservations of a key lie in a bucket that they share. A reservation appends its record. If the bucket
// is full, the record goes to one of the numbered buckets of the key. The keys and the id say to which one.
// So most requests read one bucket, and requests for a key with many reservations read two. A numbered bucket
// is written again once a fifth of its records has ended.
//
// A hash in place of the buckets, with a field for each id, was measured. It needs no numbered buckets, but a
// settlement writes the whole record again. The processor time of a reservation with its settlement was 1.15
// times as long (1.07 … 1.86, seven rounds of BenchmarkBudgets without sockets).
//
// Numbered buckets begin with a zero byte. So a request looks for a numbered bucket only if the partition has
// such strings. If the numbered bucket may have another partition than the shared one, it always looks.
const (
	// buckets is the number of numbered buckets of a key. So a key has at most
	// buckets * reservation.MaxRecords + sharedRecords reservations.
	buckets = 4096
	// sharedRecords is the number of records in a shared bucket. A request reads all of them.
	sharedRecords = 32
	// endedRecords is the number of ended records at which a shared bucket is written again without them,
	// unless more records have not ended. A smaller number would write the other records too often. A larger
	// one would take more memory and more time to read.
	endedRecords = 4
	// idleMillis is the least time in ms from the end of a record to the expiry that it sets for a shared
	// bucket. To create the bucket again takes longer than to write to it.
	idleMillis = 10_000
)

// bucket is one bucket during a request.
type bucket struct {
	entry store.Entry
	form  reservation.Form
	held  []byte // what the bucket holds, nil if it is absent
	reservation.Found
}

// release drops the references to the request.
func (b *bucket) release() { *b = bucket{} }

// write is the next write of a record to a bucket. The effects of the transaction refer to its bytes.
type write struct {
	bytes    []byte // the next content of the bucket, or what it gets at its end
	appends  bool
	expireAt int64 // of the bucket, in Unix milliseconds; only without appends
}

func (w *write) release() {
	if cap(w.bytes) > keptBytes {
		w.bytes = nil
	}
}

// findReservation is [Check.find], and reads the record of the request. It reports whether there is one.
func (c *Check) findReservation(tx *store.Tx, now int64) (found bool, err error) {
	if err = c.find(tx, now, true); err != nil {
		return false, err
	}
	r := c.reserves
	r.record.Marks, r.in = r.marks[:0], &r.shared
	r.shared.form, r.hash = reservation.Shared, hashOfKeys(c.Keys)
	if err = r.shared.findRecord(r, now); err != nil || r.shared.OK {
		return r.shared.OK, err
	}
	r.numbered.held = nil
	samePartition := c.slots[len(c.Keys)-1].Braces != ruleset.OtherBraces
	if samePartition && !r.shared.entry.AmongBinary() {
		return false, nil
	}
	r.in = &r.numbered
	c.findNumbered(tx)
	err = r.numbered.findRecord(r, now)
	return r.numbered.OK, err
}

// findRecord searches the bucket for the record of a request.
func (b *bucket) findRecord(r *reserving, now int64) (err error) {
	b.held, b.Found = nil, reservation.Found{}
	switch kind := b.entry.Kind(); {
	case kind == store.None:
		return nil
	case kind.IsCollection():
		return rediserr.WrongType
	}
	b.held = b.entry.Bytes(nil)
	b.Found, err = reservation.Find(&r.record, b.form, b.held, r.hash, r.id, now)
	return limiters.Explain(err)
}

// findNumbered finds the numbered bucket of the request.
func (c *Check) findNumbered(tx *store.Tx) {
	r, last := c.reserves, len(c.Keys)-1
	begin := len(c.names)
	c.names = ruleset.Reserved.StateKey(c.names, c.asked, c.Keys[last], c.slots[last].Braces)
	r.numbered.form = reservation.Numbered
	number := (ruleset.HashOf(c.Keys...) ^ ruleset.HashOf(r.id)) % buckets
	c.names = strconv.AppendUint(append(c.names, ':'), number, 16)
	tx.FindIn(&r.numbered.entry, c.names[begin:], false)
}

// hashOfKeys returns 64 bits of the SHA-256 of the keys of a request, so that nobody finds a name that stands for
// another's. It returns 0 for one key, because a bucket has the reservations of its key alone.
func hashOfKeys(keys [][]byte) uint64 {
	if len(keys) == 1 {
		return 0
	}
	all := make([]byte, 0, 256)
	for _, key := range keys {
		all = append(binary.BigEndian.AppendUint64(all, uint64(len(key))), key...)
	}
	sum := sha256.Sum256(all)
	return binary.BigEndian.Uint64(sum[:])
}

// addRecord prepares the write of the record. No bucket of the key has it yet.
func (c *Check) addRecord(tx *store.Tx, now int64) error {
	r := c.reserves
	b := &r.shared
	switch live := b.Records - b.Ended; {
	case !b.grows(), b.Ended >= max(endedRecords, live):
		return r.replace(b, now)
	case b.Records < sharedRecords:
		r.append(b)
		return nil
	}
	b = &r.numbered
	if r.in != b {
		c.findNumbered(tx)
		if err := b.findRecord(r, now); err != nil {
			return err
		}
	}
	if live := b.Records - b.Ended; !b.grows() || b.Records == reservation.MaxRecords || b.Ended > live/4 {
		return r.replace(b, now)
	}
	r.append(b)
	return nil
}

// grows reports whether a record at the end of a bucket would be found.
func (b *bucket) grows() bool { return len(b.held) > 0 && !b.Torn }

// append prepares the write of the record to the end of a bucket.
func (r *reserving) append(b *bucket) {
	r.in = b
	r.write.bytes, r.write.appends = r.record.AppendEntry(r.write.bytes[:0]), true
}

// replace prepares the write of a whole bucket, with the record and without the records that have ended.
func (r *reserving) replace(b *bucket, now int64) error {
	r.in = b
	next, last, err := reservation.Put(r.write.bytes[:0], b.form, b.held, &r.record, now)
	if err != nil {
		return limiters.Explain(err)
	}
	r.write = write{bytes: next, expireAt: exact.CeilDiv(last, 1e6)}
	if b == &r.shared {
		r.write.expireAt += idleMillis
	}
	return nil
}

// store writes the record. A shared bucket gets one record after the other. Its expiry is later than the
// record needs, so most records leave it unchanged.
func (r *reserving) store() {
	e, w := &r.in.entry, &r.write
	if !w.appends {
		e.SetBytesWithRoom(w.bytes, reservation.Room, reservation.MostRoom, w.expireAt)
		return
	}
	e.SetRange(len(r.in.held), w.bytes)
	if end := exact.CeilDiv(r.record.End, 1e6); end > e.ExpireAt() {
		if r.in == &r.shared {
			end += max(r.ttl/1e6, idleMillis)
		}
		e.SetExpiry(end)
	}
}

// storeSettlement writes the settlement of the record.
func (r *reserving) storeSettlement(real reservation.Numbers) {
	b := r.in
	r.write.bytes = reservation.AppendSettlement(r.write.bytes[:0], b.Position, &real)
	b.entry.SetRange(len(b.held), r.write.bytes)
}
