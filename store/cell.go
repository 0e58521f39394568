package store

import (
	"encoding/binary"

	"cellserver/internal/exact"
)

// A cell lies in a segment's arena:
//
//	offset  0      kind and flags
//	        1..3   access clock (LRU seconds or LFU counter), 24 bits
//	        4..11  value: the integer, or the slab index of the value
//	       12..13  length of the key bytes
//	       14..21  expiry in Unix milliseconds, only with cellHasExpiry
//	        …      key bytes, or with cellBigKey the slab index of the key, 4 bytes
//
// A throttle key spends nothing on its expiry: it follows from the TAT
// (cellExpiryIsTAT), rounded up to the millisecond.
const (
	cellKindMask    = 0x07
	cellHasExpiry   = 0x08 // there is room for an expiry (it may be NoExpiry)
	cellExpiryIsTAT = 0x10 // the expiry is the value's, whatever the room says
	cellBigKey      = 0x20 // the key lies in the slab

	cellValueAt  = 4
	cellKeyLenAt = 12
	cellHeader   = 14
	cellExpiryAt = 14
	cellExpiry   = 8

	// inlineKeyMax is the longest key that lies in the arena, so that copying a
	// full segment stays bounded.
	inlineKeyMax = 1024
)

// cell is the bytes of one cell, up to the end of the arena it lies in.
type cell []byte

func (c cell) kind() Kind           { return Kind(c[0] & cellKindMask) }
func (c cell) has(flag byte) bool   { return c[0]&flag != 0 }
func (c cell) setKind(k Kind)       { c[0] = c[0]&^cellKindMask | byte(k) }
func (c cell) set(flag byte)        { c[0] |= flag }
func (c cell) clear(flag byte)      { c[0] &^= flag }
func (c cell) value() int64         { return int64(binary.LittleEndian.Uint64(c[cellValueAt:])) }
func (c cell) setValue(v int64)     { binary.LittleEndian.PutUint64(c[cellValueAt:], uint64(v)) }
func (c cell) keyLen() int          { return int(binary.LittleEndian.Uint16(c[cellKeyLenAt:])) }
func (c cell) access() uint32       { return uint32(c[1]) | uint32(c[2])<<8 | uint32(c[3])<<16 }
func (c cell) setAccess(clk uint32) { binary.LittleEndian.PutUint32(c, clk<<8|uint32(c[0])) }

func (c cell) keyAt() int {
	if c.has(cellHasExpiry) {
		return cellHeader + cellExpiry
	}
	return cellHeader
}

// keyBytes are the bytes that stand for the key: itself, or its slab index.
func (c cell) keyBytes() []byte {
	at := c.keyAt()
	return c[at : at+c.keyLen()]
}

// refers reports whether the value is a slab index.
func (c cell) refers() bool { return c.kind() == Raw || c.kind() == Sorted }

// bigKey is the slab index of the key of a cell with cellBigKey.
func (c cell) bigKey() int64     { return int64(binary.LittleEndian.Uint32(c.keyBytes())) }
func (c cell) setBigKey(i int64) { binary.LittleEndian.PutUint32(c.keyBytes(), uint32(i)) }

func (c cell) size() int { return c.keyAt() + c.keyLen() }

// expireAt returns the expiry in Unix milliseconds, or NoExpiry.
func (c cell) expireAt() int64 {
	switch {
	case c.has(cellExpiryIsTAT):
		return ceilMillis(c.value())
	case c.has(cellHasExpiry):
		return int64(binary.LittleEndian.Uint64(c[cellExpiryAt:]))
	}
	return NoExpiry
}

// over reports whether the cell's time is over at now (Unix nanoseconds): a TAT's at
// the nanosecond, any other once the millisecond of its expiry has passed, as in Redis.
func (c cell) over(now int64) bool {
	switch {
	case c.has(cellExpiryIsTAT):
		return now >= c.value()
	case c.has(cellHasExpiry):
		at := int64(binary.LittleEndian.Uint64(c[cellExpiryAt:]))
		return at != NoExpiry && floorMillis(now) > at
	}
	return false
}

func (c cell) setExpiryRoom(at int64) {
	binary.LittleEndian.PutUint64(c[cellExpiryAt:], uint64(at))
}

// ceilMillis rounds nanoseconds up to whole milliseconds.
func ceilMillis(ns int64) int64 { return exact.CeilDiv(ns, 1e6) }

// expiryIsTAT reports whether an integer's expiry is the one that follows from it as a
// TAT, so that it need not be stored.
func expiryIsTAT(value, expireAt int64) bool {
	return expireAt > 0 && ceilMillis(value) == expireAt
}
