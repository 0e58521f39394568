package rdb

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func TestRoundTrip(t *testing.T) {
	r := newRand(t)
	s := randomContents(r, 600).store()
	p := file(t, s)
	require.Equal(t, contentsOf(s), loaded(t, p))

	require.Equal(t, p, file(t, s), "the same content is the same file")
}

// TestReadingByteByByte reads a stream that returns one byte at a time.
func TestReadingByteByByte(t *testing.T) {
	p := small(t)
	keys := 0
	r, err := read(iotest.OneByteReader(bytes.NewReader(p)), Options{}, func(*Record) { keys++ })
	require.NoError(t, err)
	require.Equal(t, 6, keys)
	require.Equal(t, int64(len(p)), r.Offset())
}

// small returns a file with one value of each kind, for tests that damage it.
func small(t *testing.T) []byte {
	items := func(n int) map[string]uint64 {
		m := map[string]uint64{}
		for i := range n {
			m[strings.Repeat("m", i+1)] = math.Float64bits(float64(i) - 1.5)
		}
		return m
	}
	return file(t, contents{
		{0, "text"}: {text: "value", expireAt: 4e12}, {0, "tat"}: {text: "1700000001123456789", expireAt: 1700000001124},
		{0, "n"}: {text: "70000", expireAt: store.NoExpiry}, {1, "long"}: {text: strings.Repeat("long", 30), expireAt: store.NoExpiry},
		{1, "z"}: {items: items(3), expireAt: 4e12}, {2, "large"}: {items: items(70), expireAt: store.NoExpiry},
	}.store())
}

func TestTruncationsAreErrors(t *testing.T) {
	p := small(t)
	for n := range p {
		err := check(p[:n])
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "after %d bytes", n)
		var at *Error
		require.ErrorAs(t, err, &at)
		require.LessOrEqual(t, at.Offset, int64(n))
		require.NotEmpty(t, at.Expected)
	}
}

func TestBitFlipsAreDetected(t *testing.T) {
	p := small(t)
	require.Greater(t, len(p)*8, 10_000)
	for bit := range len(p) * 8 {
		p[bit/8] ^= 1 << (bit % 8)
		require.Error(t, check(p), "bit %d of byte %d", bit%8, bit/8)
		p[bit/8] ^= 1 << (bit % 8)
	}
	require.NoError(t, check(p))
}

func TestReadErrorsWrapTheirCause(t *testing.T) {
	broken := errors.New("input/output error")
	p := small(t)
	_, err := read(io.MultiReader(bytes.NewReader(p[:100]), iotest.ErrReader(broken)), Options{}, func(*Record) {})
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "rdb: at byte ")
	require.ErrorContains(t, err, broken.Error())
}

func TestReaderRepeatsItsLastError(t *testing.T) {
	r := NewReader(bytes.NewReader(sealed("REDIS0009")), Options{})
	for range 3 {
		_, err := r.Next()
		require.Equal(t, io.EOF, err)
	}
	require.Equal(t, 9, r.version)
	require.Equal(t, int64(18), r.Offset())
	r = NewReader(strings.NewReader("REDIS0009\xff"), Options{})
	_, first := r.Next()
	require.ErrorIs(t, first, io.ErrUnexpectedEOF)
	_, again := r.Next()
	require.Equal(t, first, again)
}
