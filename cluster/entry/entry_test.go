package entry

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// encode returns an entry.
func encode(t testing.TB, e Entry) []byte {
	t.Helper()
	b := append(AppendHeader(nil), e.Body...)
	require.NoError(t, Finish(b, e))
	return b
}

var anID = strings.Repeat("0123456789abcdef", 3)[:40]

// TestGoldenBytes keeps the format as it is. Another implementation of CRC-32C made the checksums.
func TestGoldenBytes(t *testing.T) {
	epoch := Epoch{Groups: 4, Databases: 16, Features: 2}
	copy(epoch.Cluster[:], "twenty bytes of text")
	node, err := AppendNode(nil, Node{ID: anID, Host: "10.0.0.1", Port: 6379, PeerPort: 16379, Zone: "a", Features: 1})
	require.NoError(t, err)
	gone, err := AppendGone(nil, anID)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		entry Entry
		bytes string
	}{
		"effects": {Entry{Effects, 7, 0x0102030405060708, 1_700_000_000_123_456_789, []byte("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\n1\r\n")},
			"01010000" + "82f540fb" + "0700000000000000" + "0807060504030201" + "15cd853dfe9c9717" + "2a330d0a24330d0a5345540d0a24310d0a6b0d0a24310d0a310d0a"},
		"tick": {Entry{Tick, 1, 2, -1, []byte{}},
			"01030000" + "73ad6b28" + "0100000000000000" + "0200000000000000" + "ffffffffffffffff"},
		"epoch": {Entry{EpochBegins, 3, 0, 0, AppendEpoch(nil, epoch)},
			"01020000" + "f5f10cd4" + "0300000000000000" + "0000000000000000" + "0000000000000000" + hex.EncodeToString([]byte("twenty bytes of text")) + "04" + "1000" + "0200"},
		"node": {Entry{NodeKnown, 3, 1, 0, node},
			"01040000" + "be4d5d5b" + "0300000000000000" + "0100000000000000" + "0000000000000000" +
				hex.EncodeToString([]byte(`{"id":"`+anID+`","host":"10.0.0.1","port":6379,"peer_port":16379,"zone":"a","features":1}`))},
		"gone": {Entry{NodeGone, 3, 1, 0, gone},
			"01050000" + "7629c3db" + "0300000000000000" + "0100000000000000" + "0000000000000000" + hex.EncodeToString([]byte(anID))},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.bytes, hex.EncodeToString(encode(t, test.entry)))
			e, err := Parse(encode(t, test.entry))
			require.NoError(t, err)
			require.Equal(t, test.entry, e)
		})
	}
}

func TestAnyEntryComesBack(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 3000 {
		e := Entry{Kind: Kind(1 + r.IntN(5)), Term: r.Uint64(), Batch: r.Uint64(), Time: r.Int64() - r.Int64(), Body: []byte{}}
		if e.Kind != Tick {
			e.Body = randomBytes(r, r.IntN(300))
		}
		before := randomBytes(r, r.IntN(10)) // an entry may be appended to other bytes
		b := append(AppendHeader(bytes.Clone(before)), e.Body...)
		require.NoError(t, Finish(b[len(before):], e))
		require.Equal(t, before, b[:len(before)])
		got, err := Parse(b[len(before):])
		require.NoError(t, err)
		require.Equal(t, e, got)
	}
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestEveryFlippedBitAndEveryCutIsFound(t *testing.T) {
	intact := encode(t, Entry{Kind: Effects, Term: 1, Batch: 2, Time: 3, Body: []byte("body")})
	for bit := range len(intact) * 8 {
		b := bytes.Clone(intact)
		b[bit/8] ^= 1 << (bit % 8)
		_, err := Parse(b)
		require.Error(t, err, "bit %d", bit)
	}
	for n := range len(intact) {
		_, err := Parse(intact[:n])
		require.Error(t, err, "%d bytes", n)
	}
}

// change encodes a tick, changes its bytes, and corrects the checksum.
func change(t *testing.T, do func(b []byte) []byte) []byte {
	b := do(encode(t, Entry{Kind: Tick}))
	s := checksum(b)
	b[4], b[5], b[6], b[7] = byte(s), byte(s>>8), byte(s>>16), byte(s>>24)
	return b
}

func TestErrorsSayWhatIsWrong(t *testing.T) {
	for want, data := range map[string][]byte{
		"the entry has 31 bytes, and an entry has at least 32: a part of it is lost":                             make([]byte, 31),
		"the entry has version 2, and this server knows version 1 only: install the newer release of the server": change(t, func(b []byte) []byte { b[0] = 2; return b }),
		"the entry has kind 0, and this server knows kinds 1 to 6: install the newer release of the server":      change(t, func(b []byte) []byte { b[1] = 0; return b }),
		"the entry has kind 7, and this server knows kinds 1 to 6: install the newer release of the server":      change(t, func(b []byte) []byte { b[1] = 7; return b }),
		"the entry has flags 0x0100, and this server knows no flags: install the newer release of the server":    change(t, func(b []byte) []byte { b[3] = 1; return b }),
		"the entry is a tick with a body of 3 bytes, and a tick has no body":                                     change(t, func(b []byte) []byte { return append(b, "abc"...) }),
		"the entry is damaged: its checksum is 00000000, and its bytes have the checksum b79ffbbd":               append([]byte{1, 3, 0, 0, 0, 0, 0, 0}, make([]byte, 24)...),
	} {
		_, err := Parse(data)
		require.EqualError(t, err, want)
	}
	require.EqualError(t, Finish(make([]byte, 31), Entry{Kind: Tick}), "the entry has 31 bytes, and an entry has 32 to 1073741824 bytes")
	require.EqualError(t, Finish(make([]byte, 33), Entry{Kind: Tick}), "the entry is a tick with a body of 1 bytes, and a tick has no body")
	require.ErrorContains(t, Finish(make([]byte, 32), Entry{Kind: 9}), "kind 9")
}

// TestAnEntryHasABound needs no memory for the large entry: nobody touches its pages.
func TestAnEntryHasABound(t *testing.T) {
	b := make([]byte, maxSize+1)
	require.EqualError(t, Finish(b, Entry{Kind: Effects}), "the entry has 1073741825 bytes, and an entry has 32 to 1073741824 bytes")
}

func TestEncodingAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 1024)
	body := []byte("commands")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b := append(AppendHeader(buf), body...)
		if Finish(b, Entry{Kind: Effects, Term: 1}) != nil {
			panic("not finished")
		}
		if e, err := Parse(b); err != nil || len(e.Body) != len(body) {
			panic("not parsed")
		}
	}))
}

func FuzzParse(f *testing.F) {
	f.Add(encode(f, Entry{Kind: Effects, Term: 1, Batch: 2, Time: 3, Body: []byte("body")}))
	f.Add(encode(f, Entry{Kind: Tick}))
	node, err := AppendNode(nil, Node{ID: anID, Host: "h", Port: 1, PeerPort: 2})
	require.NoError(f, err)
	f.Add(encode(f, Entry{Kind: NodeKnown, Body: node}))
	f.Add(encode(f, Entry{Kind: EpochBegins, Body: AppendEpoch(nil, Epoch{Groups: 1, Databases: 16})}))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= HeaderSize { // a fuzzer would not guess the checksum
			s := checksum(data)
			data[4], data[5], data[6], data[7] = byte(s), byte(s>>8), byte(s>>16), byte(s>>24)
		}
		e, err := Parse(data)
		if err != nil {
			return
		}
		require.Equal(t, data, encode(t, e), "an entry has one encoding")
		requireOneEncoding(t, e)
	})
}

// requireOneEncoding requires that a body that can be parsed is encoded as it was.
func requireOneEncoding(t *testing.T, e Entry) {
	if epoch, err := ParseEpoch(e.Body); err == nil {
		require.Equal(t, e.Body, AppendEpoch([]byte{}, epoch))
	}
	if id, err := ParseGone(e.Body); err == nil {
		b, err := AppendGone([]byte{}, id)
		require.NoError(t, err)
		require.Equal(t, e.Body, b)
	}
	if node, err := ParseNode(e.Body); err == nil {
		b, err := AppendNode(nil, node)
		require.NoError(t, err)
		again, err := ParseNode(b)
		require.NoError(t, err)
		require.Equal(t, node, again, "JSON has many encodings, and all have one value")
	}
}
