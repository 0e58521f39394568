package aof

import "cellserver/store"

// keyEstimator exists for speed alone.
//
// What it is: it estimates how many keys a file will make, from the keys that the file has made so far. The
// store then makes room for them at once, instead of growing step by step.
//
// What it brings: growing step by step takes a sixth of the time of loading a million throttle keys. Let
// update return at once and compare
//
//	go test -run none -bench Load ./persistence/aof
//
// What it must never do: change what is loaded. A wrong estimate costs memory until the next sample, at most
// maxGrowth times the keys. settle gives unused room back.
type keyEstimator struct {
	store *store.Store
	tx    *store.Tx
	now   int64
	size  int64 // of the file, in bytes
	next  int64 // the offset at which to sample next
	last  sample
}

const (
	// firstSample is the number of bytes of a file before the first estimate. Each further estimate follows
	// after four times as many.
	firstSample = 1 << 20
	// minCommandSize is the size in bytes of the shortest command that makes a key.
	minCommandSize = 27
	// maxGrowth limits an estimate to this multiple of the existing keys.
	maxGrowth = 16
)

// sample is the number of keys at an offset.
type sample struct {
	at   int64
	db   int
	keys int // of that database
}

// begin begins a file, from an offset on.
func (k *keyEstimator) begin(from, size int64) {
	k.size, k.next = size, from+firstSample
	k.last = sample{from, 0, k.store.Len(0)}
}

// update estimates again. The loader has read the file up to an offset.
func (k *keyEstimator) update(at int64, db int) {
	s := sample{at, db, k.store.Len(db)}
	expected := 0
	if more := k.estimate(s); more > max(s.keys, store.Partitions) { // for fewer keys, tables hardly grow
		expected = s.keys + more
	}
	k.next, k.last = at+4*(at-k.last.at), s
	k.tx.BeginAll(k.now, db)
	defer k.tx.End()
	k.tx.Reserve(expected)
}

// estimate returns how many more keys the file will make in a database at most.
func (k *keyEstimator) estimate(s sample) int {
	if s.db != k.last.db {
		return 0
	}
	rest := k.size - s.at
	perByte := float64(s.keys-k.last.keys) / float64(s.at-k.last.at)
	return int(min(perByte*float64(rest), float64(rest/minCommandSize), float64(s.keys)*(maxGrowth-1)))
}

// settle gives the room back that no key used.
func (k *keyEstimator) settle() {
	k.tx.BeginAll(k.now, 0)
	defer k.tx.End()
	k.tx.ReleaseReserved()
}
