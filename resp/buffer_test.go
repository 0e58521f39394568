package resp

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// longReply writes a reply of several segments, whose parts end at any place of a segment.
func longReply(w *Writer) {
	outer := w.DeferArray()
	for i := range 40 {
		inner := w.DeferArray()
		w.Bulk(bytes.Repeat([]byte{'a' + byte(i%26)}, i*7919))
		w.Int(int64(i))
		w.BulkString(strings.Repeat("s", 100_000))
		w.SetArray(inner, 3)
	}
	w.Verbatim("txt", strings.Repeat("v", 3*segmentSize))
	w.SetArray(outer, 41)
}

// expected is longReply as one slice.
func expected() []byte {
	var b []byte
	line := func(kind string, n int) { b = append(appendHeader(b, kind[0], n), kind[1:]...) }
	line("*", 41)
	for i := range 40 {
		line("*", 3)
		line("$"+strings.Repeat(string(rune('a'+i%26)), i*7919)+"\r\n", i*7919)
		line(":", i)
		line("$"+strings.Repeat("s", 100_000)+"\r\n", 100_000)
	}
	line("$"+strings.Repeat("v", 3*segmentSize)+"\r\n", 3*segmentSize)
	return b
}

// sent drains a session's output in pieces of at most size bytes.
func sent(w *Writer, size int) []byte {
	var all []byte
	for w.Len() > 0 {
		n := min(len(w.first()), size)
		all = append(all, w.first()[:n]...)
		w.drop(n)
	}
	return all
}

// TestSegments requires that the same bytes are written, marked, removed and sent with several segments as with one.
func TestSegments(t *testing.T) {
	want := expected()
	for _, size := range []int{segmentSize, 1 << 30, 65_537} {
		var w Writer
		w.Simple("before")
		mark := w.Mark()
		longReply(&w)
		require.Greater(t, len(w.full), 3)
		w.Truncate(mark)
		require.Equal(t, "+before\r\n", string(w.Bytes()))
		longReply(&w)
		w.own([]byte(">0\r\n"))
		w.own(make([]byte, segmentSize))
		require.Equal(t, len(w.Bytes()), w.Len())
		all := append([]byte("+before\r\n"), want...)
		all = append(append(all, ">0\r\n"...), make([]byte, segmentSize)...)
		require.True(t, bytes.Equal(all, w.Bytes()))
		require.True(t, bytes.Equal(all, sent(&w, size)))
		w.OK()
		require.Equal(t, "+OK\r\n", string(w.Bytes()))
	}
}

// TestWriterLimit requires that a writer keeps exactly its limit, and nothing beyond it.
func TestWriterLimit(t *testing.T) {
	want := expected()
	for _, short := range []int{0, 1, 2, 3, 100_000, len(want) - 10, len(want) - 1} {
		var w Writer
		w.SetLimit(len(want) - short)
		longReply(&w)
		require.Equal(t, short > 0, w.Over(), short)
		if short == 0 {
			require.True(t, bytes.Equal(want, w.Bytes()))
			require.LessOrEqual(t, capacity(&w), len(want)+segmentSize)
			continue
		}
		w.Ints(1, 2, 3)
		w.Error("ERR e")
		w.Truncate(0)
		require.Zero(t, w.Len())
		require.Less(t, capacity(&w), 100)
		require.Zero(t, testing.AllocsPerRun(10, func() { w.Ints(1, 2, 3); w.Bulk(want); w.BulkString("s"); w.Null() }))
	}
}

func capacity(w *Writer) int { return w.held + cap(w.buf) }

// TestSessionOverItsOutputLimit requires that the session closes after the command that exceeds the limit, and that the
// next batch may use all of the limit.
func TestSessionOverItsOutputLimit(t *testing.T) {
	h := &echo{}
	s := NewSession(h)
	s.LimitOutput(1000)
	for range 5 {
		require.Equal(t, Continue, s.Filled(copy(s.Space(), wire("BIG", "900"))))
		s.Sent()
	}
	require.Equal(t, Close, s.Filled(copy(s.Space(), wire("A")+wire("BIG", "1000")+wire("B"))))
	require.Empty(t, s.Output())
	require.Contains(t, h.diary, "failed: output buffer limit reached, stack false")
	require.Equal(t, Close, s.Resume())
}
