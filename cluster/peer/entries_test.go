package peer

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/iotest"

	"cellserver/cluster/entry"
	"cellserver/internal/randtest"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

func TestRequestsArriveAsTheyWere(t *testing.T) {
	random := rand.New(randtest.Source(t))
	var wire bytes.Buffer
	var room []byte
	var all []*raft.AppendEntriesRequest
	text := func(most int) []byte {
		b := make([]byte, random.IntN(most))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	for i := range 200 {
		r := &raft.AppendEntriesRequest{
			RPCHeader: raft.RPCHeader{ProtocolVersion: 3, ID: text(50), Addr: text(50)},
			Term:      random.Uint64(), PrevLogEntry: random.Uint64(), PrevLogTerm: random.Uint64(), LeaderCommitIndex: random.Uint64(),
			Entries: []*raft.Log{},
		}
		for range random.IntN(5) {
			r.Entries = append(r.Entries, &raft.Log{Index: random.Uint64(), Term: random.Uint64(), Type: raft.LogType(random.IntN(6)), Data: text(2000)})
		}
		if i%50 == 0 {
			r.Entries = append(r.Entries, &raft.Log{Index: 1, Data: bytes.Repeat([]byte{'x'}, 2*maxPart+1)}, &raft.Log{Index: 2, Data: text(9)})
		}
		var err error
		room, err = writeRequest(&wire, room, r)
		require.NoError(t, err)
		all = append(all, r)
	}
	in := bufio.NewReader(iotest.HalfReader(&wire))
	for _, r := range all {
		got, err := readRequest(in)
		require.NoError(t, err)
		require.Equal(t, r, got)
	}
	_, err := readRequest(in)
	require.Equal(t, io.EOF, err)
}

func TestAnswersArriveAsTheyWere(t *testing.T) {
	for _, a := range []raft.AppendEntriesResponse{
		{}, {Term: 7, LastLog: 1 << 40, Success: true}, {Term: 1 << 63, NoRetryBackoff: true}, {Success: true, NoRetryBackoff: true},
	} {
		b := appendAnswer(nil, &a)
		require.Len(t, b, answerSize)
		got, err := readAnswer(bytes.NewReader(b))
		require.NoError(t, err)
		require.Equal(t, a, got)
		_, err = readAnswer(bytes.NewReader(b[1:]))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	}
}

func TestWrongRequestsAreRefused(t *testing.T) {
	var good bytes.Buffer
	_, err := writeRequest(&good, nil, &raft.AppendEntriesRequest{Entries: []*raft.Log{{Index: 1, Data: []byte("data")}}})
	require.NoError(t, err)
	for n := range good.Len() {
		_, err := readRequest(bufio.NewReader(bytes.NewReader(good.Bytes()[:n])))
		require.Error(t, err, n)
	}
	for at, want := range map[int]string{
		0: "a request with entries has version 255, and this server knows " +
			"version 1: run the same release on every node",
		7:                               "a request has 65281 entries, and it may have 64",
		requestHead + entryHead - 4 + 3: "the entries of a request have more than 1073741824 bytes",
	} {
		b := bytes.Clone(good.Bytes())
		b[at] = 255
		_, err := readRequest(bufio.NewReader(bytes.NewReader(b)))
		require.EqualError(t, err, want)
	}
}

// A sender that only claims to send much costs the receiver little memory.
func TestAClaimCostsNoMemory(t *testing.T) {
	var b bytes.Buffer
	_, err := writeRequest(&b, nil, &raft.AppendEntriesRequest{Entries: []*raft.Log{{Index: 1, Data: []byte("data")}}})
	require.NoError(t, err)
	hostile := b.Bytes()[:requestHead+entryHead]
	binary.LittleEndian.PutUint32(hostile[requestHead+17:], 1<<29)
	require.LessOrEqual(t, allocated(func() {
		_, err := readRequest(bufio.NewReader(bytes.NewReader(hostile)))
		require.Error(t, err)
	}), uint64(4*maxPart))
}

// Each entry is short enough, but all entries together are too long.
func TestTheBytesOfARequestAreBounded(t *testing.T) {
	var b bytes.Buffer
	l := &raft.Log{Index: 1, Data: []byte("data")}
	_, err := writeRequest(&b, nil, &raft.AppendEntriesRequest{Entries: []*raft.Log{l, l}})
	require.NoError(t, err)
	entries := b.Bytes()[requestHead:]
	_, err = readEntries(bufio.NewReader(bytes.NewReader(entries)), 2, 8)
	require.NoError(t, err)
	_, err = readEntries(bufio.NewReader(bytes.NewReader(entries)), 2, 7)
	require.ErrorIs(t, err, errTooLong)
}

// The sender does not send what the receiver would refuse.
func TestWrongRequestsAreNotSent(t *testing.T) {
	large := &raft.Log{Data: make([]byte, maxBytes/entry.MostAtOnce+1)} // the memory is not touched
	for name, n := range map[string]int{
		"the entries of a request have more than 1073741824 bytes": entry.MostAtOnce,
		"a request has 65 entries, and it may have 64":             entry.MostAtOnce + 1,
	} {
		var b bytes.Buffer
		_, err := writeRequest(&b, nil, &raft.AppendEntriesRequest{Entries: slices.Repeat([]*raft.Log{large}, n)})
		require.EqualError(t, err, name)
		require.Zero(t, b.Len())
	}
}

// The sender needs little memory for a long request.
func TestALongRequestIsSentInParts(t *testing.T) {
	for _, size := range []int{100, 64 << 10, 1<<20 - 1} {
		l := &raft.Log{Data: make([]byte, size)}
		r := &raft.AppendEntriesRequest{Entries: slices.Repeat([]*raft.Log{l}, entry.MostAtOnce)}
		var room []byte
		require.LessOrEqual(t, allocated(func() {
			var err error
			room, err = writeRequest(io.Discard, nil, r)
			require.NoError(t, err)
		}), uint64(8*maxRoom), size)
		require.LessOrEqual(t, cap(room), 2*maxRoom)
	}
}

// A write costs a system call, so a short request costs one.
func TestAShortRequestIsOneWrite(t *testing.T) {
	var n writes
	for _, size := range []int{0, 1, 1000} {
		n = 0
		_, err := writeRequest(&n, nil, &raft.AppendEntriesRequest{Entries: []*raft.Log{{Data: make([]byte, size)}}})
		require.NoError(t, err)
		require.EqualValues(t, 1, n)
	}
}

// writes counts writes.
type writes int

func (n *writes) Write(b []byte) (int, error) {
	*n++
	return len(b), nil
}

// allocated returns how many bytes of memory a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
