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

// foldBy are what the halves of 16 bytes are multiplied by to have the same checksum 16 bytes
// further on: 64 and 128 bits on from their own places, less the one by which a product of
// reversed bits is off.
//
// Source: Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009.
var foldBy = [2]uint64{powerOfX(128 + 64 - 1), powerOfX(128 - 1)}

// powerOfX returns x to the power of n modulo the polynomial, bits reversed.
func powerOfX(n int) uint64 {
	p := uint64(1) << 63
	for range n {
		p = p>>1 ^ crcPolynomial&-(p&1)
	}
	return p
}

// foldFrom is from how many bytes on folding is worth it.
const foldFrom = 64

// checksum returns the CRC-64 of what crc is that of, followed by p.
func checksum(crc uint64, p []byte) uint64 {
	if !canFold || len(p) < foldFrom {
		return checksumByTable(crc, p)
	}
	var state [16]byte
	copy(state[:], p)
	binary.LittleEndian.PutUint64(state[:], binary.LittleEndian.Uint64(p)^crc)
	whole := len(p) &^ 15
	fold(&state, p[16:whole], &foldBy)
	return checksumByTable(checksumByTable(0, state[:]), p[whole:])
}

// checksumByTable is checksum without folding.
func checksumByTable(crc uint64, p []byte) uint64 {
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
