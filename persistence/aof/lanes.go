package aof

import (
	"math/bits"
	"sync"

	"cellserver/internal/pieces"
	"cellserver/persistence/aof/format"
	"cellserver/store"
)

// lane collects the changes of some partitions. So goroutines that change different partitions rarely wait
// for each other, and rarely write to memory that another processor has just written.
//
// A transaction on several partitions first moves all that has collected in their lanes to the lane 0. The
// lane 0 is written first. So its changes come after all changes of these partitions before it, and before
// all changes of them after it.
type lane struct {
	mu    sync.Mutex // guards the fields below; taken while the store's locks are held, so never during I/O
	enc   *encoder   // the changes that no leader has taken, after the space for a header
	from  int        // the database in which the commands of enc begin; noDB if they select their own
	noted int        // how many bytes of enc the backlog counts
	spare []byte     // the buffer that the leader writes now, for the next changes; nil if it is large
	_     [128 - 8 - 6*8]byte
}

// maxLanes bounds the lanes, because a leader locks each of them. A set of lanes has 64 bits.
const maxLanes = 64

// newLanes returns about four lanes for each processor, but a single processor needs just one.
func newLanes(processors int) []lane {
	n := 1
	for processors > 1 && n < min(4*processors, maxLanes) {
		n *= 2
	}
	lanes := make([]lane, n)
	for i := range lanes {
		lanes[i].enc, lanes[i].from = newEncoder(), noDB
		lanes[i].enc.joins = true
		lanes[i].enc.reset()
	}
	return lanes
}

// allLanes is the set of all lanes. A set has a bit for each lane.
func (j *Journal) allLanes() uint64 { return 1<<len(j.lanes) - 1 }

// lanesOf returns the set of the lanes of a transaction's partitions, and the lane 0.
func (j *Journal) lanesOf(tx *store.Tx) uint64 {
	set := uint64(1)
	tx.EachPartition(func(p int) { set |= 1 << (p & (len(j.lanes) - 1)) })
	return set
}

func (j *Journal) lockLanes(set uint64) {
	for ; set != 0; set &= set - 1 {
		j.lanes[bits.TrailingZeros64(set)].mu.Lock()
	}
}

func (j *Journal) unlockLanes(set uint64) {
	for ; set != 0; set &= set - 1 {
		j.lanes[bits.TrailingZeros64(set)].mu.Unlock()
	}
}

func (l *lane) isEmpty() bool { return len(l.enc.buf) == format.HeaderSize }

// waiting returns how many bytes of the lane wait.
func (l *lane) waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.enc.buf) - format.HeaderSize
}

// part is what a leader takes from one lane.
type part struct {
	buf      []byte // after the space for a header
	from, to int    // the databases in which the commands begin and end
}

// gather moves the changes of some lanes to the lane 0. They and the lane 0 are locked.
func (j *Journal) gather(set uint64) {
	first := &j.lanes[0]
	for set &^= 1; set != 0; set &= set - 1 {
		l := &j.lanes[bits.TrailingZeros64(set)]
		if l.isEmpty() {
			continue
		}
		if first.isEmpty() {
			first.enc.buf, l.enc.buf = l.enc.buf, first.enc.buf
			first.from, first.enc.db = l.from, l.enc.db
		} else {
			p := part{l.enc.buf, l.from, l.enc.db}
			first.enc.buf, first.enc.db = p.appendTo(first.enc.buf, first.enc.db)
		}
		first.enc.stamped, first.enc.closed = max(first.enc.stamped, l.enc.stamped), 0
		first.noted += l.noted
		l.restart(j.kept(l.enc.buf))
	}
}

// appendTo appends the commands of the part to a batch that has selected a database. It returns the batch and
// its database.
func (p part) appendTo(batch []byte, db int) ([]byte, int) {
	if p.from != db && p.from != noDB {
		batch = appendSelect(batch, p.from)
	}
	return pieces.Append(batch, p.buf[format.HeaderSize:]), p.to
}

// kept returns the buffer of a lane for its next changes, or nil if it is large.
func (j *Journal) kept(buf []byte) []byte {
	if cap(buf) > maxSpare/len(j.lanes) {
		return nil
	}
	return buf
}

// restart empties the lane, and gives it a buffer.
func (l *lane) restart(buf []byte) {
	l.enc.begin(buf)
	l.from, l.noted = l.enc.db, 0
}

// resetLanes drops what has collected, and begins a file. All lanes are locked.
func (j *Journal) resetLanes() {
	for i := range j.lanes {
		l := &j.lanes[i]
		l.enc.reset()
		l.from, l.noted = noDB, 0
	}
}

// joiner makes one batch of the parts that a leader has taken. Only the leader uses it.
type joiner struct {
	db     int    // the database that the current file has selected
	joined []byte // a buffer for the next batch of several parts
	parts  []part // room for the next parts
}

// join returns a batch of all parts.
func (j *joiner) join(parts []part) (batch []byte) {
	if p := parts[0]; len(parts) == 1 && (p.from == j.db || p.from == noDB) {
		j.db = p.to
		return p.buf
	}
	batch = append(j.joined[:0], format.EmptyHeader[:]...)
	for _, p := range parts {
		batch, j.db = p.appendTo(batch, j.db)
	}
	if j.joined = nil; cap(batch) <= maxSpare {
		j.joined = batch
	}
	return batch
}
