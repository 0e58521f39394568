package rdb

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChecksumKnownAnswers(t *testing.T) {
	require.Equal(t, uint64(0xe9c6d914c4b8d9ca), checksum(0, []byte("123456789")), "the check value of CRC-64/Jones in Redis")
	require.Zero(t, checksum(0, nil))
}

// bitwise is the definition.
func bitwise(crc uint64, p []byte) uint64 {
	for _, b := range p {
		crc ^= uint64(b)
		for range 8 {
			odd := crc & 1
			crc >>= 1
			if odd != 0 {
				crc ^= crcPolynomial
			}
		}
	}
	return crc
}

func TestChecksumAgreesWithItsDefinition(t *testing.T) {
	r := newRand(t)
	for n := range 300 {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(r.Uint32())
		}
		require.Equal(t, bitwise(0, p), checksum(0, p))
		cut := r.IntN(n + 1)
		require.Equal(t, bitwise(0, p), checksum(checksum(0, p[:cut]), p[cut:]), "in two parts, cut at %d", cut)
	}
}

// TestFoldingAgreesWithTheTables is about inputs so large that they are folded, where the processor can.
func TestFoldingAgreesWithTheTables(t *testing.T) {
	r := newRand(t)
	p := make([]byte, 3*chunk)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	for range 500 {
		from := r.IntN(len(p))
		part, crc := p[from:from+r.IntN(len(p)-from)], r.Uint64()
		require.Equal(t, checksumByTable(crc, part), checksum(crc, part), "%d bytes from %d", len(part), from)
	}
}
