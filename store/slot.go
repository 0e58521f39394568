package store

import "bytes"

const (
	// Slots is the number of hash slots of a Redis Cluster.
	Slots = 16384
	// Partitions is the number of independently locked parts of the keyspace.
	Partitions = 256

	slotsPerPartition = Slots / Partitions
)

// crcTable drives CRC16/XMODEM (polynomial 0x1021), the checksum of the Redis Cluster
// specification.
var crcTable = func() (t [256]uint16) {
	for i := range t {
		crc := uint16(i) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
		t[i] = crc
	}
	return t
}()

// Slot returns the Redis Cluster slot of key, 0…16383: CRC16 of the key, or of what
// stands between its first '{' and the next '}' when that is not empty.
//
// Source: https://redis.io/docs/reference/cluster-spec/#hash-tags
func Slot(key []byte) uint16 {
	if open := bytes.IndexByte(key, '{'); open >= 0 {
		if n := bytes.IndexByte(key[open+1:], '}'); n > 0 {
			key = key[open+1 : open+1+n]
		}
	}
	var crc uint16
	for _, b := range key {
		crc = crc<<8 ^ crcTable[byte(crc>>8)^b]
	}
	return crc % Slots
}

// PartitionOf returns the partition that holds a slot.
func PartitionOf(slot uint16) int { return int(slot) / slotsPerPartition }
