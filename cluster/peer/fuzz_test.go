package peer

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// If bytes can be read as requests, writing these requests gives the same bytes.
func FuzzReadRequest(f *testing.F) {
	entry := &raft.Log{Index: 7, Term: 2, Data: []byte("data")}
	for _, r := range []raft.AppendEntriesRequest{
		{},
		{Term: 2, Entries: []*raft.Log{entry}},
		{RPCHeader: raft.RPCHeader{ProtocolVersion: 3, ID: []byte("id"), Addr: []byte("host:1")}, Term: 2, Entries: []*raft.Log{entry, {}, entry}},
	} {
		var b bytes.Buffer
		_, err := writeRequest(&b, nil, &r)
		require.NoError(f, err)
		f.Add(b.Bytes())
		f.Add(append(b.Bytes(), b.Bytes()...))
		f.Add(b.Bytes()[:b.Len()-1])
	}
	f.Fuzz(func(t *testing.T, all []byte) {
		in := bufio.NewReader(bytes.NewReader(all))
		var again bytes.Buffer
		for {
			r, err := readRequest(in)
			if err != nil {
				break
			}
			_, err = writeRequest(&again, nil, r)
			require.NoError(t, err)
		}
		require.True(t, bytes.HasPrefix(all, again.Bytes()), "%x became %x", all, again.Bytes())
		var l raft.Log
		if err := readEntry(bufio.NewReader(bytes.NewReader(all)), &l, len(all)); err == nil {
			require.LessOrEqual(t, len(l.Data), len(all)-entryHead)
		}
	})
}
