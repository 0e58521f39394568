package store

import "math"

// The 24 bits of access history of a cell are, as in Redis, either the second of its
// last use (LRU), or the minute of its last decay and a logarithmic counter (LFU).
const (
	lruMask    = 1<<24 - 1
	lfuInitial = 5
	lfuMinutes = 1<<16 - 1
)

// SetLFU sets how slowly use counters rise (lfu-log-factor, 10 at first) and after how
// many idle minutes they fall by one (lfu-decay-time, 1 at first; 0 for never).
func (s *Store) SetLFU(logFactor, decayMinutes int) {
	s.lfuFactor.Store(int64(logFactor))
	s.lfuDecay.Store(int64(decayMinutes))
}

// touchAccess notes that the entry was used.
func (e *Entry) touchAccess() {
	c := e.cell()
	if !e.tx.s.lfu.Load() {
		c.setAccess(uint32(e.tx.now/1e9) & lruMask)
		return
	}
	minute := uint32(e.tx.now/60e9) & lfuMinutes
	n := e.tx.s.freq(c.access(), e.tx.now)
	if c.access() == 0 {
		n = lfuInitial
	} else if n < math.MaxUint8 {
		p := 1 / (float64(max(n, lfuInitial)-lfuInitial)*float64(e.tx.s.lfuFactor.Load()) + 1)
		if float64(e.tx.Rand()>>11)/(1<<53) < p {
			n++
		}
	}
	c.setAccess(minute<<8 | n)
}

// freq returns the use counter of an access word after the minutes up to now.
func (s *Store) freq(access uint32, now int64) uint32 {
	n, decay := access&0xff, uint32(s.lfuDecay.Load())
	if decay == 0 {
		return n
	}
	idle := (uint32(now/60e9) - access>>8) & lfuMinutes
	return n - min(n, idle/decay)
}

// Idle returns the whole seconds since the entry was last used; for OBJECT IDLETIME.
func (e *Entry) Idle() int64 {
	return int64((uint32(e.tx.now/1e9) - e.cell().access()) & lruMask)
}

// Freq returns the entry's logarithmic use counter, 0…255; for OBJECT FREQ.
func (e *Entry) Freq() int64 {
	return int64(e.tx.s.freq(e.cell().access(), e.tx.now))
}

// SetAccess sets the idle seconds, or with LFU the counter, for RESTORE.
func (e *Entry) SetAccess(idle int64, freq uint8) {
	if e.tx.s.lfu.Load() {
		e.cell().setAccess(uint32(e.tx.now/60e9)&lfuMinutes<<8 | uint32(freq))
		return
	}
	e.cell().setAccess(uint32(e.tx.now/1e9-idle) & lruMask)
}
