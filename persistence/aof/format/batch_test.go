package format

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeaders changes every byte of a header to every other. What parses as a header must be what Seal writes.
func TestHeaders(t *testing.T) {
	batch := append(make([]byte, HeaderSize), "*3\r\n$3\r\nSET\r\n$1\r\na\r\n$1\r\n1\r\n"...)
	require.NoError(t, Seal(batch))
	for at := range HeaderSize {
		for c := range 256 {
			b := bytes.Clone(batch)
			b[at] = byte(c)
			sum, size, err := ParseHeader(b)
			if err == nil {
				again := append(appendDigits([]byte(HeaderMark), uint64(sum), 16, sumDigits), ':')
				again = append(appendDigits(again, uint64(size), 10, 10), "\r\n"...)
				require.Equal(t, string(b[:HeaderSize]), string(again))
			}
			require.False(t, err != nil && c == int(batch[at]), "the unchanged header")
		}
	}
}

// TestBatchesFitTheirHeader: a size of more than ten digits would be cut, and the file would be damaged.
func TestBatchesFitTheirHeader(t *testing.T) {
	require.NoError(t, checkSize(9_999_999_999))
	require.ErrorIs(t, checkSize(10_000_000_000), ErrTooLarge)
}
