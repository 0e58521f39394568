package carrier

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

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
			r.Entries = append(r.Entries, &raft.Log{Index: 1, Data: bytes.Repeat([]byte{'x'}, maxCopied)}, &raft.Log{Index: 2, Data: text(9)})
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
		0:                            "a request with entries has version 255, and this server knows version 1: run the same release on every node",
		7:                            "a request has 65281 entries, and it may have 4096",
		headSize + entrySize - 4 + 3: "an entry has 4278190084 bytes, and it may have 1073741824",
	} {
		b := bytes.Clone(good.Bytes())
		b[at] = 255
		_, err := readRequest(bufio.NewReader(bytes.NewReader(b)))
		require.EqualError(t, err, want)
	}
}
