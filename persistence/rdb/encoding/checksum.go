package encoding

import "hash/crc64"

// jones is the polynomial of Jones, 0xad93d23594c935a9, with its bits reversed.
var jones = crc64.MakeTable(0x95ac9329ac4bc9b5)

// Checksum returns the checksum of the bytes that `crc` covers, followed by `p`: CRC-64 as Redis computes it.
// The checksum of no bytes is 0. Redis does not invert the checksum, so Checksum undoes both inversions of
// hash/crc64.
func Checksum(crc uint64, p []byte) uint64 { return ^crc64.Update(^crc, jones, p) }
