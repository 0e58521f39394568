package table

import (
	"encoding/binary"
	"math"

	"cellserver/internal/exact"
	"cellserver/store/value"
)

// NoExpiry is the expiry of a key that does not expire.
const NoExpiry int64 = math.MinInt64

// A cell lies in a segment's arena:
//
//	offset  0      kind and flags
//	        1..3   access clock (LRU seconds or LFU counter), 24 bits
//	        4..11  the integer, or the slab index of the object
//	       12..13  length of the key bytes
//	       14..21  expiry in Unix milliseconds, only with cellHasExpiry
//	        …      key bytes, or with cellBigKey the slab index of the key, 4 bytes
//
// A throttle key needs no room for its expiry. Its expiry is its TAT (cellExpiryIsTAT),
// rounded up to the millisecond.
const (
	cellKindMask    = 0x07
	cellHasExpiry   = 0x08 // there is room for an expiry, which may be NoExpiry
	cellExpiryIsTAT = 0x10 // the integer is the expiry, in nanoseconds; the room is ignored
	cellBigKey      = 0x20 // the key lies in the slab

	cellValueAt  = 4
	cellKeyLenAt = 12
	cellHeader   = 14
	cellExpiryAt = 14
	cellExpiry   = 8

	// inlineKeyMax is the longest key in an arena, in bytes. It bounds the time to copy a
	// full segment.
	inlineKeyMax = 1024
)

// Cell is the bytes of one cell, and of the arena behind it. It is valid until the table
// changes.
type Cell []byte

// Kind returns what the key holds.
func (c Cell) Kind() value.Kind { return value.Kind(c[0] & cellKindMask) }

// Int returns the cell's integer; for other kinds it means nothing outside this package.
func (c Cell) Int() int64 { return int64(binary.LittleEndian.Uint64(c[cellValueAt:])) }

// Access returns the access clock, 24 bits.
func (c Cell) Access() uint32 { return uint32(c[1]) | uint32(c[2])<<8 | uint32(c[3])<<16 }

// SetAccess sets the access clock, 24 bits.
func (c Cell) SetAccess(clk uint32) { binary.LittleEndian.PutUint32(c, clk<<8|uint32(c[0])) }

// ExpiryIsTAT reports whether the cell is a throttle key: it expires when its integer, a TAT,
// has passed.
func (c Cell) ExpiryIsTAT() bool { return c.has(cellExpiryIsTAT) }

// ExpireAt returns the expiry in Unix milliseconds, or NoExpiry.
func (c Cell) ExpireAt() int64 {
	switch {
	case c.has(cellExpiryIsTAT):
		return CeilMillis(c.Int())
	case c.has(cellHasExpiry):
		return int64(binary.LittleEndian.Uint64(c[cellExpiryAt:]))
	}
	return NoExpiry
}

// Expired reports whether the cell has expired at now (Unix nanoseconds). A throttle key
// expires at the nanosecond of its TAT. Any other key expires when the millisecond of its
// expiry has passed, as in Redis.
func (c Cell) Expired(now int64) bool {
	switch {
	case c.has(cellExpiryIsTAT):
		return now >= c.Int()
	case c.has(cellHasExpiry):
		at := int64(binary.LittleEndian.Uint64(c[cellExpiryAt:]))
		return at != NoExpiry && FloorMillis(now) > at
	}
	return false
}

func (c Cell) has(flag byte) bool     { return c[0]&flag != 0 }
func (c Cell) set(flag byte)          { c[0] |= flag }
func (c Cell) clear(flag byte)        { c[0] &^= flag }
func (c Cell) setKind(k value.Kind)   { c[0] = c[0]&^cellKindMask | byte(k) }
func (c Cell) setInt(v int64)         { binary.LittleEndian.PutUint64(c[cellValueAt:], uint64(v)) }
func (c Cell) keyLen() int            { return int(binary.LittleEndian.Uint16(c[cellKeyLenAt:])) }
func (c Cell) setExpiryRoom(at int64) { binary.LittleEndian.PutUint64(c[cellExpiryAt:], uint64(at)) }

func (c Cell) keyAt() int {
	if c.has(cellHasExpiry) {
		return cellHeader + cellExpiry
	}
	return cellHeader
}

// number returns the cell's integer. ok is false if it is not of kind Int.
func (c Cell) number() (n int64, ok bool) {
	if c.Kind() != value.Int {
		return 0, false
	}
	return c.Int(), true
}

// keyBytes returns the key, or with cellBigKey the bytes of its slab index.
func (c Cell) keyBytes() []byte {
	at := c.keyAt()
	return c[at : at+c.keyLen()]
}

// refers reports whether the cell's integer is the slab index of an object.
func (c Cell) refers() bool { return c.Kind() >= value.Raw }

// bigKey returns the slab index of the key of a cell with cellBigKey.
func (c Cell) bigKey() int64     { return int64(binary.LittleEndian.Uint32(c.keyBytes())) }
func (c Cell) setBigKey(i int64) { binary.LittleEndian.PutUint32(c.keyBytes(), uint32(i)) }

func (c Cell) size() int { return c.keyAt() + c.keyLen() }

// isIntUntil reports whether the cell holds an integer, and has this expiry in its room.
func (c Cell) isIntUntil(expireAt int64) bool {
	const flags = cellKindMask | cellHasExpiry | cellExpiryIsTAT
	return c[0]&flags == byte(value.Int)|cellHasExpiry && int64(binary.LittleEndian.Uint64(c[cellExpiryAt:])) == expireAt
}

// CeilMillis rounds nanoseconds up to whole milliseconds.
func CeilMillis(ns int64) int64 { return exact.CeilDiv(ns, 1e6) }

// FloorMillis rounds nanoseconds down to whole milliseconds.
func FloorMillis(ns int64) int64 {
	ms := ns / 1e6
	if ns%1e6 < 0 {
		ms--
	}
	return ms
}

// ExpiryIsTAT reports whether the expiry (Unix milliseconds) of an integer follows from the
// integer as a TAT (Unix nanoseconds). Such an expiry is not stored.
func ExpiryIsTAT(tat, expireAt int64) bool {
	return expireAt > 0 && CeilMillis(tat) == expireAt
}
