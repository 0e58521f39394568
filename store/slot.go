package store

import "bytes"

const (
	// Slots is the number of hash slots of a Redis Cluster.
	Slots = 16384
	// Partitions is the number of independently locked parts of the keyspace.
	Partitions = 256

	slotsPerPartition = Slots / Partitions
)

// crcTables are for CRC16/XMODEM (polynomial 0x1021), the checksum of the Redis Cluster
// specification. They take eight or four bytes at a time: crcTables[k] has the part that a byte adds to
// the checksum if k more bytes follow.
var crcTables = func() (t [8][256]uint16) {
	for i := range t[0] {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		t[0][i] = crc
	}
	for k := 1; k < len(t); k++ {
		for i, crc := range t[k-1] {
			t[k][i] = crc<<8 ^ t[0][crc>>8]
		}
	}
	return t
}()

func crc16(b []byte) (crc uint16) {
	t := &crcTables
	for ; len(b) >= 8; b = b[8:] {
		crc = t[7][byte(crc>>8)^b[0]] ^ t[6][byte(crc)^b[1]] ^ t[5][b[2]] ^ t[4][b[3]] ^
			t[3][b[4]] ^ t[2][b[5]] ^ t[1][b[6]] ^ t[0][b[7]]
	}
	if len(b) >= 4 {
		crc = t[3][byte(crc>>8)^b[0]] ^ t[2][byte(crc)^b[1]] ^ t[1][b[2]] ^ t[0][b[3]]
		b = b[4:]
	}
	for _, c := range b {
		crc = crc<<8 ^ t[0][byte(crc>>8)^c]
	}
	return crc
}

// Slot returns the Redis Cluster slot of a key, 0…16383. It is the CRC16 of the key, or of its hash
// tag: the bytes between its first '{' and the next '}', if there are any.
//
// Source: https://redis.io/docs/reference/cluster-spec/#hash-tags
func Slot(key []byte) uint16 {
	if open := bytes.IndexByte(key, '{'); open >= 0 {
		if n := bytes.IndexByte(key[open+1:], '}'); n > 0 {
			key = key[open+1 : open+1+n]
		}
	}
	return crc16(key) % Slots
}

// SlotOfTag returns the slot of a hash tag without its braces. It is also that of a key without braces.
func SlotOfTag(tag []byte) uint16 { return crc16(tag) % Slots }

// PartitionOf returns the partition that holds a slot.
func PartitionOf(slot uint16) int { return int(slot) / slotsPerPartition }
