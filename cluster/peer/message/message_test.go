package message

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

const testLimit = 1 << 20

func TestFrames(t *testing.T) {
	var all []byte
	bodies := map[Op]string{Hello: "", Join: "{}", Reply: strings.Repeat("x", BodyLimit), Failed: "a sentence"}
	ops := []Op{Hello, Join, Reply, Failed, Hello}
	for _, op := range ops {
		all = Append(all, op, []byte(bodies[op]))
	}
	all = AppendPublish(all, []byte("news"), []byte("text"))
	for _, in := range []io.Reader{bytes.NewReader(all), iotest.OneByteReader(bytes.NewReader(all)), iotest.HalfReader(bytes.NewReader(all))} {
		r := NewReader(in, testLimit)
		for _, want := range ops {
			op, body, err := r.Next()
			require.NoError(t, err)
			require.Equal(t, want, op)
			require.Equal(t, bodies[op], string(body))
		}
		op, body, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, Publish, op)
		channel, text, err := ParsePublish(body)
		require.NoError(t, err)
		require.Equal(t, "news text", string(channel)+" "+string(text))
		_, _, err = r.Next()
		require.Equal(t, io.EOF, err)
	}
}

func TestLimits(t *testing.T) {
	next := func(op Op, size int) error {
		_, _, err := NewReader(bytes.NewReader(Append(nil, op, make([]byte, size))), 1000).Next()
		return err
	}
	require.NoError(t, next(Hello, BodyLimit))
	require.EqualError(t, next(Hello, BodyLimit+1), "the body of operation 1 has 65537 bytes, more than 65536")
	require.NoError(t, next(Publish, 1000+channelSize))
	require.EqualError(t, next(Publish, 1000+channelSize+1), "the body of operation 7 has 1005 bytes, more than 1004")
	require.EqualError(t, next(99, 0), "operation 99 is unknown: run the same release on every node")
}

// Every changed bit of a frame is found.
func TestDamageIsFound(t *testing.T) {
	frame := Append(nil, Join, []byte(`{"id":"a"}`))
	for i := range len(frame) * 8 {
		damaged := bytes.Clone(frame)
		damaged[i/8] ^= 1 << (i % 8)
		_, _, err := NewReader(bytes.NewReader(damaged), testLimit).Next()
		require.Error(t, err, "bit %d", i)
	}
	for n := 1; n < len(frame); n++ {
		_, _, err := NewReader(bytes.NewReader(frame[:n]), testLimit).Next()
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d bytes", n)
	}
}

// A header that promises much costs nothing until the bytes arrive.
func TestAPromiseCostsNothing(t *testing.T) {
	const limit = 256 << 20
	header := Append(nil, Publish, nil)
	binary.LittleEndian.PutUint32(header, limit)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := NewReader(io.MultiReader(bytes.NewReader(header), bytes.NewReader(make([]byte, 10_000))), limit).Next()
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

// A Reader does not keep the buffer of a large message.
func TestLargeBuffersAreFreed(t *testing.T) {
	in := Append(Append(nil, Publish, make([]byte, testLimit)), Hello, nil)
	r := NewReader(bytes.NewReader(in), testLimit)
	for range 2 {
		_, _, err := r.Next()
		require.NoError(t, err)
	}
	require.LessOrEqual(t, cap(r.body), keptBuffer)
}

func FuzzNext(f *testing.F) {
	f.Add(Append(Append(nil, Hello, []byte("{}")), Failed, []byte("why")))
	f.Add(AppendPublish(nil, []byte("a"), []byte("b")))
	f.Add(bytes.Repeat([]byte{0xff}, 40))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(bytes.NewReader(in), 1000)
		var again []byte
		for {
			op, body, err := r.Next()
			if err != nil {
				break
			}
			if cap(r.body) > 2*len(in)+firstRead {
				t.Fatalf("%d bytes allocated for %d", cap(r.body), len(in))
			}
			if op == Publish {
				if channel, text, err := ParsePublish(body); err == nil {
					body = append(binary.LittleEndian.AppendUint32(nil, uint32(len(channel))), append(channel, text...)...)
				}
			}
			again = Append(again, op, body)
		}
		if !bytes.HasPrefix(in, again) {
			t.Fatalf("%x is read as %x", in, again)
		}
	})
}
