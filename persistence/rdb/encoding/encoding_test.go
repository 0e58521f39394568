package encoding

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLengths(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "\x00", 63: "\x3f", 64: "\x40\x40", 16383: "\x7f\xff", 16384: "\x80\x00\x00\x40\x00",
		math.MaxUint32: "\x80\xff\xff\xff\xff", math.MaxUint32 + 1: "\x81\x00\x00\x00\x01\x00\x00\x00\x00",
	} {
		var e Encoder
		e.Length(n)
		require.Equal(t, want, string(e.Bytes()))
		d := DecoderOf(e.Bytes())
		got, err := d.Length("")
		require.NoError(t, err)
		require.Equal(t, n, got)
	}
}
