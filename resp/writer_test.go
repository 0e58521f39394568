package resp

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestWriter(t *testing.T) {
	for _, c := range []struct {
		write        func(w *Writer)
		resp2, resp3 string
	}{
		{func(w *Writer) { w.Int(-7) }, ":-7\r\n", ":-7\r\n"},
		{func(w *Writer) { w.Int(math.MinInt64) }, ":-9223372036854775808\r\n", ":-9223372036854775808\r\n"},
		{func(w *Writer) { w.Bulk([]byte("a\r\n")) }, "$3\r\na\r\n\r\n", "$3\r\na\r\n\r\n"},
		{func(w *Writer) { w.Bulk(nil) }, "$0\r\n\r\n", "$0\r\n\r\n"},
		{func(w *Writer) { w.BulkString("0123456789") }, "$10\r\n0123456789\r\n", "$10\r\n0123456789\r\n"},
		{func(w *Writer) { w.BulkInt(-120) }, "$4\r\n-120\r\n", "$4\r\n-120\r\n"},
		{func(w *Writer) { w.Simple("a\r\nb") }, "+a  b\r\n", "+a  b\r\n"},
		{func(w *Writer) { w.OK() }, "+OK\r\n", "+OK\r\n"},
		{func(w *Writer) { w.Error("ERR a\nb") }, "-ERR a b\r\n", "-ERR a b\r\n"},
		{func(w *Writer) { w.Null() }, "$-1\r\n", "_\r\n"},
		{func(w *Writer) { w.NullArray() }, "*-1\r\n", "_\r\n"},
		{func(w *Writer) { w.Bool(true) }, ":1\r\n", "#t\r\n"},
		{func(w *Writer) { w.Bool(false) }, ":0\r\n", "#f\r\n"},
		{func(w *Writer) { w.Double(0.1) }, "$19\r\n0.10000000000000001\r\n", ",0.10000000000000001\r\n"},
		{func(w *Writer) { w.Double(math.Inf(-1)) }, "$4\r\n-inf\r\n", ",-inf\r\n"},
		{func(w *Writer) { w.BigNumber("123") }, "$3\r\n123\r\n", "(123\r\n"},
		{func(w *Writer) { w.Verbatim("txt", "ab") }, "$2\r\nab\r\n", "=6\r\ntxt:ab\r\n"},
		{func(w *Writer) { w.Array(12) }, "*12\r\n", "*12\r\n"},
		{func(w *Writer) { w.Map(5) }, "*10\r\n", "%5\r\n"},
		{func(w *Writer) { w.Set(3) }, "*3\r\n", "~3\r\n"},
		{func(w *Writer) { w.Push(2) }, "*2\r\n", ">2\r\n"},
		{func(w *Writer) { w.Raw([]byte(":1\r\n")); w.RawString(":2\r\n") }, ":1\r\n:2\r\n", ":1\r\n:2\r\n"},
	} {
		w := Writer{Proto: 2}
		c.write(&w)
		require.Equal(t, c.resp2, string(w.Bytes()))
		w = Writer{Proto: 3}
		c.write(&w)
		require.Equal(t, c.resp3, string(w.Bytes()))
	}
}

func TestWriterTakesBack(t *testing.T) {
	var w Writer
	w.OK()
	mark := w.Mark()
	w.Array(2)
	w.Int(1)
	w.Truncate(mark)
	w.Error("ERR no")
	require.Equal(t, "+OK\r\n-ERR no\r\n", string(w.Bytes()))
	require.Equal(t, 14, w.Len())
	w.Reset()
	require.Zero(t, w.Len())
}

// writeRandom writes a random reply, and returns the value that a client must read.
func writeRandom(r *rand.Rand, w *Writer, depth int) any {
	resp3 := w.Proto == 3
	kinds := 10
	if depth == 0 {
		kinds = 6
	}
	switch r.IntN(kinds) {
	case 0:
		n := r.Int64() >> r.IntN(64)
		w.Int(n)
		return n
	case 1:
		b := randomBytes(r, 40)
		w.Bulk(b)
		return string(b)
	case 2:
		f := float64(r.IntN(1000)) / 8
		w.Double(f)
		if resp3 {
			return f
		}
		return string(FormatDouble(nil, f))
	case 3:
		w.Null()
		if resp3 {
			return resptest.Nil3
		}
		return resptest.NilBulk
	case 4:
		w.Simple("s\n")
		return resptest.Simple("s ")
	case 5:
		w.Verbatim("txt", "v")
		if resp3 {
			return resptest.Verbatim{Format: "txt", Text: "v"}
		}
		return "v"
	}
	return writeAggregate(r, w, depth)
}

// writeAggregate writes an array, a set or a map. The length of an array comes first or is deferred.
func writeAggregate(r *rand.Rand, w *Writer, depth int) any {
	n := r.IntN(4) * r.IntN(5)
	kind := r.IntN(3)
	deferred := kind == 0 && r.IntN(2) == 0
	handle := 0
	if deferred {
		handle = w.DeferArray()
	} else {
		[]func(int){w.Array, w.Set, w.Map}[kind](n)
	}
	list, pairs := []any{}, resptest.Map{}
	for range n {
		v := writeRandom(r, w, depth-1)
		list = append(list, v)
		if kind == 2 {
			value := writeRandom(r, w, depth-1)
			list = append(list, value)
			pairs = append(pairs, resptest.Pair{Key: v, Value: value})
		}
	}
	if deferred {
		w.SetArray(handle, n)
	}
	switch {
	case w.Proto == 3 && kind == 1:
		return resptest.Set(list)
	case w.Proto == 3 && kind == 2:
		return pairs
	}
	return list
}

func TestRandomRepliesAreReadBack(t *testing.T) {
	r := newRand(t)
	for i := range 2000 {
		w := Writer{Proto: 2 + i%2}
		want := writeRandom(r, &w, 3)
		got, n, err := resptest.Parse(w.Bytes())
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, w.Len(), n)
	}
}

func TestWriterDoesNotAllocate(t *testing.T) {
	var w Writer
	text := strings.Repeat("x", 100)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		for w.Proto = 2; w.Proto <= 3; w.Proto++ {
			w.Reset()
			h := w.DeferArray()
			w.Int(123456)
			w.BulkInt(math.MinInt64)
			w.Double(0.1)
			w.Verbatim("txt", text)
			w.Error(text)
			w.Simple(text)
			w.Null()
			w.Bool(true)
			w.SetArray(h, 8)
		}
	}))
}
