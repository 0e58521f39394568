package store

import "math"

// The 24 bits of access history of a cell are, as in Redis, either the second of its
// last use (LRU), or the minute of its last decay and a logarithmic counter (LFU).
const (
	lruMask    = 1<<24 - 1
	lfuInitial = 5
	lfuMinutes = 1<<16 - 1

	// lfuLogFactor and lfuDecayMinutes are Redis's defaults for lfu-log-factor and
	// lfu-decay-time.
	lfuLogFactor    = 10
	lfuDecayMinutes = 1
)

// touchAccess notes that the entry was used.
func (e *Entry) touchAccess() {
	c := e.cell()
	if !e.tx.s.lfu.Load() {
		c.setAccess(uint32(e.tx.now/1e9) & lruMask)
		return
	}
	minute := uint32(e.tx.now/60e9) & lfuMinutes
	n := lfuDecayed(c.access(), minute)
	if c.access() == 0 {
		n = lfuInitial
	} else if n < math.MaxUint8 {
		p := 1 / (float64(max(n, lfuInitial)-lfuInitial)*lfuLogFactor + 1)
		if float64(e.tx.Rand()>>11)/(1<<53) < p {
			n++
		}
	}
	c.setAccess(minute<<8 | n)
}

// lfuDecayed returns the counter of an access word after the minutes since.
func lfuDecayed(access, minute uint32) uint32 {
	idle := (minute - access>>8) & lfuMinutes / lfuDecayMinutes
	n := access & 0xff
	return n - min(n, idle)
}

// Idle returns the whole seconds since the entry was last used; for OBJECT IDLETIME.
func (e *Entry) Idle() int64 {
	return int64((uint32(e.tx.now/1e9) - e.cell().access()) & lruMask)
}

// Freq returns the entry's logarithmic use counter, 0…255; for OBJECT FREQ.
func (e *Entry) Freq() int64 {
	return int64(lfuDecayed(e.cell().access(), uint32(e.tx.now/60e9)&lfuMinutes))
}

// SetAccess sets the idle seconds, or with LFU the counter, for RESTORE.
func (e *Entry) SetAccess(idle int64, freq uint8) {
	if e.tx.s.lfu.Load() {
		e.cell().setAccess(uint32(e.tx.now/60e9)&lfuMinutes<<8 | uint32(freq))
		return
	}
	e.cell().setAccess(uint32(e.tx.now/1e9-idle) & lruMask)
}
