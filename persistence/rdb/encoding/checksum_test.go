package encoding

import (
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

func TestTheChecksumIsThatOfRedis(t *testing.T) {
	require.Equal(t, uint64(0xe9c6d914c4b8d9ca), Checksum(0, []byte("123456789")), "the check value of CRC-64/Jones")
	require.Zero(t, Checksum(0, nil))
}

// bitwise is the definition of the checksum.
func bitwise(crc uint64, p []byte) uint64 {
	for _, b := range p {
		crc ^= uint64(b)
		for range 8 {
			odd := crc & 1
			crc >>= 1
			if odd != 0 {
				crc ^= 0x95ac9329ac4bc9b5
			}
		}
	}
	return crc
}

// The checksum does not depend on how the input is cut into calls.
func TestTheChecksumAgreesWithItsDefinition(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for n := range 5000 {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(r.Uint32())
		}
		want := bitwise(0, p)
		require.Equal(t, want, Checksum(0, p))
		cut := r.IntN(n + 1)
		require.Equal(t, want, Checksum(Checksum(0, p[:cut]), p[cut:]), "in two parts, cut at %d", cut)
	}
}

func BenchmarkChecksum(b *testing.B) {
	p := make([]byte, 64<<10) // what readers and writers of files hand over at once
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		Checksum(0, p)
	}
}
