package crc64

import (
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

func newRand(t testing.TB) *rand.Rand {
	return rand.New(randtest.Source(t))
}

func TestKnownAnswers(t *testing.T) {
	require.Equal(t, uint64(0xe9c6d914c4b8d9ca), Update(0, []byte("123456789")), "the check value of CRC-64/Jones in Redis")
	require.Zero(t, Update(0, nil))
}

// bitwise is the definition of the checksum.
func bitwise(crc uint64, p []byte) uint64 {
	for _, b := range p {
		crc ^= uint64(b)
		for range 8 {
			odd := crc & 1
			crc >>= 1
			if odd != 0 {
				crc ^= polynomial
			}
		}
	}
	return crc
}

func TestUpdateAgreesWithTheDefinition(t *testing.T) {
	r := newRand(t)
	for n := range 300 {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(r.Uint32())
		}
		require.Equal(t, bitwise(0, p), Update(0, p))
		cut := r.IntN(n + 1)
		require.Equal(t, bitwise(0, p), Update(Update(0, p[:cut]), p[cut:]), "in two parts, cut at %d", cut)
	}
}

// benchSize is the number of bytes that readers and writers of files hand over at once.
const benchSize = 64 << 10

// TestFoldingAgreesWithTheTables uses large inputs, because small ones are not folded.
func TestFoldingAgreesWithTheTables(t *testing.T) {
	r := newRand(t)
	p := make([]byte, 3*benchSize)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	for range 500 {
		from := r.IntN(len(p))
		part, crc := p[from:from+r.IntN(len(p)-from)], r.Uint64()
		require.Equal(t, updateByTable(crc, part), Update(crc, part), "%d bytes from %d", len(part), from)
	}
}

func BenchmarkChecksum(b *testing.B) {
	for _, by := range []struct {
		name   string
		update func(uint64, []byte) uint64
	}{{"update", Update}, {"tables", updateByTable}} {
		b.Run(by.name, func(b *testing.B) {
			p := make([]byte, benchSize)
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				by.update(0, p)
			}
		})
	}
}
