package rdb

import "encoding/binary"

// crcPolynomial is Jones's, 0xad93d23594c935a9, bits reversed. The checksum begins with 0
// and is not inverted at its end: what sets it apart from the CRC-64s of hash/crc64.
const crcPolynomial = 0x95ac9329ac4bc9b5

// crcTables[i][b] is what a byte b does to the checksum with i bytes after it, so that
// eight bytes cost eight look-ups that do not wait for each other (slicing by 8).
var crcTables = func() (t [8][256]uint64) {
	for b := range t[0] {
		crc := uint64(b)
		for range 8 {
			crc = crc>>1 ^ crcPolynomial&-(crc&1)
		}
		t[0][b] = crc
	}
	for i := 1; i < len(t); i++ {
		for b := range t[i] {
			crc := t[i-1][b]
			t[i][b] = t[0][byte(crc)] ^ crc>>8
		}
	}
	return t
}()

// checksum returns the CRC-64 of what crc is that of, followed by p.
func checksum(crc uint64, p []byte) uint64 {
	t := &crcTables
	for ; len(p) >= 8; p = p[8:] {
		crc ^= binary.LittleEndian.Uint64(p)
		crc = t[7][byte(crc)] ^ t[6][byte(crc>>8)] ^ t[5][byte(crc>>16)] ^ t[4][byte(crc>>24)] ^
			t[3][byte(crc>>32)] ^ t[2][byte(crc>>40)] ^ t[1][byte(crc>>48)] ^ t[0][crc>>56]
	}
	for _, b := range p {
		crc = t[0][byte(crc)^b] ^ crc>>8
	}
	return crc
}
