package peer

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
	bodies := map[operation]string{opHello: "", opJoin: "{}", opReply: strings.Repeat("x", bodyLimit),
		opFailed: "a sentence"}
	ops := []operation{opHello, opJoin, opReply, opFailed, opHello}
	for _, op := range ops {
		all = appendFrame(all, op, []byte(bodies[op]))
	}
	all = appendPublish(all, false, []byte("news"), []byte("text"))
	for _, in := range []io.Reader{bytes.NewReader(all), iotest.OneByteReader(bytes.NewReader(all)), iotest.HalfReader(bytes.NewReader(all))} {
		r := newFrameReader(in, testLimit)
		for _, want := range ops {
			op, body, err := r.next()
			require.NoError(t, err)
			require.Equal(t, want, op)
			require.Equal(t, bodies[op], string(body))
		}
		op, body, err := r.next()
		require.NoError(t, err)
		require.Equal(t, opPublish, op)
		channel, text, err := parsePublish(body)
		require.NoError(t, err)
		require.Equal(t, "news text", string(channel)+" "+string(text))
		_, _, err = r.next()
		require.Equal(t, io.EOF, err)
	}
}

func TestLimits(t *testing.T) {
	next := func(op operation, size int) error {
		_, _, err := newFrameReader(bytes.NewReader(appendFrame(nil, op, make([]byte, size))), 1000).next()
		return err
	}
	require.NoError(t, next(opHello, bodyLimit))
	require.EqualError(t, next(opHello, bodyLimit+1),
		"the body of operation 1 has 65537 bytes, more than 65536")
	require.NoError(t, next(opPublish, 1000+channelSize))
	require.EqualError(t, next(opPublish, 1000+channelSize+1),
		"the body of operation 7 has 1005 bytes, more than 1004")
	require.EqualError(t, next(opScript, 1000+channelSize+1),
		"the body of operation 9 has 1005 bytes, more than 1004")
	require.EqualError(t, next(99, 0), "operation 99 is unknown: run the same release on every node")
}

// Every changed bit of a frame is found.
func TestDamageIsFound(t *testing.T) {
	frame := appendFrame(nil, opJoin, []byte(`{"id":"a"}`))
	for i := range len(frame) * 8 {
		damaged := bytes.Clone(frame)
		damaged[i/8] ^= 1 << (i % 8)
		_, _, err := newFrameReader(bytes.NewReader(damaged), testLimit).next()
		require.Error(t, err, "bit %d", i)
	}
	for n := 1; n < len(frame); n++ {
		_, _, err := newFrameReader(bytes.NewReader(frame[:n]), testLimit).next()
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d bytes", n)
	}
}

// A header that promises much costs nothing until the bytes arrive.
func TestAPromiseCostsNothing(t *testing.T) {
	const limit = 256 << 20
	header := appendFrame(nil, opPublish, nil)
	binary.LittleEndian.PutUint32(header, limit)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := newFrameReader(io.MultiReader(bytes.NewReader(header),
		bytes.NewReader(make([]byte, 10_000))), limit).next()
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
}

// A Reader does not keep the buffer of a large message.
func TestLargeBuffersAreFreed(t *testing.T) {
	in := appendFrame(appendFrame(nil, opPublish, make([]byte, testLimit)), opHello, nil)
	r := newFrameReader(bytes.NewReader(in), testLimit)
	for range 2 {
		_, _, err := r.next()
		require.NoError(t, err)
	}
	require.LessOrEqual(t, cap(r.body), keptBuffer)
}

func FuzzNext(f *testing.F) {
	f.Add(appendFrame(appendFrame(nil, opHello, []byte("{}")), opFailed, []byte("why")))
	f.Add(appendPublish(nil, false, []byte("a"), []byte("b")))
	f.Add(bytes.Repeat([]byte{0xff}, 40))
	f.Fuzz(func(t *testing.T, in []byte) {
		r := newFrameReader(bytes.NewReader(in), 1000)
		var again []byte
		for {
			op, body, err := r.next()
			if err != nil {
				break
			}
			if cap(r.body) > 2*len(in)+firstRead {
				t.Fatalf("%d bytes allocated for %d", cap(r.body), len(in))
			}
			if op == opPublish {
				if channel, text, err := parsePublish(body); err == nil {
					body = append(binary.LittleEndian.AppendUint32(nil, uint32(len(channel))), append(channel, text...)...)
				}
			}
			again = appendFrame(again, op, body)
		}
		if !bytes.HasPrefix(in, again) {
			t.Fatalf("%x is read as %x", in, again)
		}
	})
}
