package crc64

import "encoding/binary"

// polynomial is 0xad93d23594c935a9 with its bits reversed.
const polynomial = 0x95ac9329ac4bc9b5

// tables[i][b] is the part of byte b in the checksum if i bytes follow it. With them, eight bytes
// need eight independent look-ups (slicing by 8).
var tables = func() (t [8][256]uint64) {
	for b := range t[0] {
		crc := uint64(b)
		for range 8 {
			crc = crc>>1 ^ polynomial&-(crc&1)
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

// foldFactors multiply the two halves of 16 bytes. The products have the same checksum 16 bytes
// later: the halves move 64 and 128 bits. One bit is subtracted, because a product of
// reversed bits is shifted by one.
//
// Source: Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009.
var foldFactors = [2]uint64{powerOfX(128 + 64 - 1), powerOfX(128 - 1)}

// powerOfX returns x to the power of n modulo the polynomial, with reversed bits.
func powerOfX(n int) uint64 {
	p := uint64(1) << 63
	for range n {
		p = p>>1 ^ polynomial&-(p&1)
	}
	return p
}

// minFold is the number of bytes from which folding is faster than the tables.
const minFold = 64

// Update returns the checksum of the bytes that crc covers, followed by p. The checksum of no bytes is 0.
func Update(crc uint64, p []byte) uint64 {
	if !canFold || len(p) < minFold {
		return updateByTable(crc, p)
	}
	var state [16]byte
	copy(state[:], p)
	binary.LittleEndian.PutUint64(state[:], binary.LittleEndian.Uint64(p)^crc)
	whole := len(p) &^ 15
	fold(&state, p[16:whole], &foldFactors)
	return updateByTable(updateByTable(0, state[:]), p[whole:])
}

// updateByTable is Update without folding.
func updateByTable(crc uint64, p []byte) uint64 {
	t := &tables
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
