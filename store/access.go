package store

import (
	"math"

	"cellserver/store/table"
)

// UseLFU chooses the meaning of the access history of keys. If on is true, it is an LFU counter,
// otherwise the time of the last access.
func (s *Store) UseLFU(on bool) { s.lfu.Store(on) }

// SetLFU sets how slowly use counters rise (lfu-log-factor, by default 10). A counter falls by one
// after decayMinutes idle minutes (lfu-decay-time, by default 1; 0 for never).
func (s *Store) SetLFU(logFactor, decayMinutes int) {
	s.lfuFactor.Store(int64(logFactor))
	s.lfuDecay.Store(int64(decayMinutes))
}

// touch notes that the key of a cell was used.
func (tx *Tx) touch(c table.Cell) {
	if tx.NoTouch {
		return
	}
	if !tx.s.lfu.Load() {
		c.SetAccess(uint32(tx.now/1e9) & lruMask)
		return
	}
	n, minute := uint32(lfuInitial), uint32(tx.now/60e9)&lfuMinutes
	if c.Access() != 0 {
		n = counterAfterUse(tx.s.freq(c.Access(), tx.now), tx.s.lfuFactor.Load(), tx.Rand())
		if last := c.Access() >> 8; isLater(last, minute, lfuMinutes) {
			minute = last // else the same minute would take one more each time
		}
	}
	c.SetAccess(minute<<8 | n)
}

// freq returns the use counter of an access history at now (Unix nanoseconds).
func (s *Store) freq(access uint32, now int64) uint32 {
	return counterAt(access, now, uint32(s.lfuDecay.Load()))
}

// Idle returns the whole seconds since the key was last used, for OBJECT IDLETIME. The key must
// be there.
func (e *Entry) Idle() int64 {
	return int64(since(e.place.Cell().Access(), uint32(e.tx.now/1e9), lruMask))
}

// Freq returns the key's logarithmic use counter, 0…255, for OBJECT FREQ. The key must be there.
func (e *Entry) Freq() int64 {
	return int64(e.tx.s.freq(e.place.Cell().Access(), e.tx.now))
}

// SetAccess sets when or how often the key was used, for RESTORE: the seconds since the last use, or with LFU the
// use counter. A number below 0 is unknown, and changes nothing.
func (e *Entry) SetAccess(idle, freq int64) {
	now := e.tx.now
	switch lfu := e.tx.s.lfu.Load(); {
	case lfu && freq >= 0:
		e.place.Cell().SetAccess(uint32(now/60e9)&lfuMinutes<<8 | uint32(freq)&math.MaxUint8)
	case !lfu && idle >= 0:
		e.place.Cell().SetAccess(uint32(now/1e9-min(idle, lruMask-lruMask>>10)) & lruMask)
	}
}

// A cell has 24 bits of access history, as in Redis. With LRU they hold the second of the last use.
// With LFU they hold the minute of the last decay and a logarithmic counter.
const (
	lruMask    = 1<<24 - 1
	lfuInitial = 5
	lfuMinutes = 1<<16 - 1
)

// counterAt returns the use counter of an access history at now (Unix nanoseconds). It falls by one
// after decay idle minutes, or never if decay is 0.
func counterAt(access uint32, now int64, decay uint32) uint32 {
	n := access & 0xff
	if decay == 0 {
		return n
	}
	return n - min(n, since(access>>8, uint32(now/60e9), lfuMinutes)/decay)
}

// since returns the time from an access to now, both modulo mask + 1. It is 0 if the access is later.
func since(access, now, mask uint32) uint32 {
	if isLater(access, now, mask) {
		return 0
	}
	return (now - access) & mask
}

// isLater reports whether an access is later than now, by little. The client that used the key may have read the
// clock after the one of this transaction.
func isLater(access, now, mask uint32) bool { return (now-access)&mask > mask-mask>>10 }

// counterAfterUse returns the use counter n after one more use. The larger n and logFactor are, the
// more rarely it rises.
func counterAfterUse(n uint32, logFactor int64, random uint64) uint32 {
	p := 1 / (float64(max(n, lfuInitial)-lfuInitial)*float64(logFactor) + 1)
	if n < math.MaxUint8 && float64(random>>11)/(1<<53) < p {
		n++
	}
	return n
}
