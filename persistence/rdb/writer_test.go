package rdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"cellserver/persistence/rdb/encoding"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// one returns a store with one key.
func one(key string, c content) *store.Store { return contents{place{0, key}: c}.store() }

// sealed appends the end of a file and its checksum.
func sealed(body string) []byte {
	b := append([]byte(body), opEOF)
	return binary.LittleEndian.AppendUint64(b, encoding.Checksum(0, b))
}

func le64(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }

func TestFileToTheByte(t *testing.T) {
	const head = "REDIS0009" + "\xfa\x09redis-ver\x067.0.15" + "\xfa\x05ctime\xc2\x00\xf1\x53\x65"
	inDB := head + "\xfe\x00\xfb\x01\x00"
	score := func(f float64) string { return le64(math.Float64bits(f)) }
	stay := store.NoExpiry
	for name, c := range map[string]struct {
		s    *store.Store
		want string
	}{
		"empty":            {contents{}.store(), head},
		"text":             {one("k", content{text: "v", expireAt: stay}), inDB + "\x00\x01k\x01v"},
		"empty text":       {one("", content{expireAt: stay}), inDB + "\x00\x00\x00"},
		"8 bits":           {one("k", content{text: "-128", expireAt: stay}), inDB + "\x00\x01k\xc0\x80"},
		"16 bits":          {one("k", content{text: "128", expireAt: stay}), inDB + "\x00\x01k\xc1\x80\x00"},
		"32 bits":          {one("k", content{text: "-32769", expireAt: stay}), inDB + "\x00\x01k\xc2\xff\x7f\xff\xff"},
		"33 bits":          {one("k", content{text: "2147483648", expireAt: stay}), inDB + "\x00\x01k\x0a2147483648"},
		"not canonical":    {one("k", content{text: "007", expireAt: stay}), inDB + "\x00\x01k\x03007"},
		"integer as a key": {one("12", content{text: "v", expireAt: stay}), inDB + "\x00\xc0\x0c\x01v"},
		"14-bit length":    {one("k", content{text: strings.Repeat("v", 64), expireAt: stay}), inDB + "\x00\x01k\x40\x40" + strings.Repeat("v", 64)},
		"32-bit length": {one("k", content{text: strings.Repeat("v", 16384), expireAt: stay}),
			inDB + "\x00\x01k\x80\x00\x00\x40\x00" + strings.Repeat("v", 16384)},
		"throttle key": {one("k", content{text: "1700000000123456789", expireAt: 1700000000124}),
			inDB + "\xfc" + le64(1700000000124) + "\x00\x01k\x131700000000123456789"},
		"sorted set": {one("z", content{items: map[string]uint64{"a": math.Float64bits(1.5), "2": math.Float64bits(math.Inf(1))}, expireAt: stay}),
			inDB + "\x05\x01z\x02\xc0\x02" + score(math.Inf(1)) + "\x01a" + score(1.5)},
	} {
		require.Equal(t, string(sealed(c.want)), string(file(t, c.s)), name)
	}
}

// failing is a writer that takes room bytes and then fails.
type failing struct{ room int }

var errFull = errors.New("no space left")

func (f *failing) Write(p []byte) (int, error) {
	if f.room < len(p) {
		return f.room, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

func TestWriterKeepsItsError(t *testing.T) {
	s := one("k", content{text: strings.Repeat("v", 3*encoding.ChunkSize), expireAt: store.NoExpiry})
	w := NewWriter(&failing{room: 10}, false)
	write(s, 0, func(tx *store.Tx) {
		e := tx.Peek([]byte("k"))
		require.ErrorIs(t, writeEntry(w, &e), errFull)
		require.ErrorIs(t, writeEntry(w, &e), errFull)
	})
	require.ErrorIs(t, w.Aux("a", "b"), errFull)
	require.ErrorIs(t, w.Select(0, 1, 0), errFull)
	require.ErrorIs(t, w.Finish(), errFull)
	require.ErrorIs(t, NewWriter(&failing{}, false).Finish(), errFull)
}

func TestWritingAKeyAllocatesNothing(t *testing.T) {
	items := map[string]uint64{}
	for i := range 100 {
		items[strconv.Itoa(i*1e9)+"member"] = uint64(i)
	}
	s := contents{
		{0, "text"}: {text: "value", expireAt: 4e12}, {0, "tat"}: {text: "1700000001123456789", expireAt: 1700000001124},
		{0, "small set"}: {items: items, expireAt: store.NoExpiry},
	}.store()
	w := NewWriter(io.Discard, false)
	write(s, 0, func(tx *store.Tx) {
		for _, key := range []string{"text", "tat", "small set"} {
			e := tx.Peek([]byte(key))
			require.True(t, e.Exists(), key)
			require.Zero(t, testing.AllocsPerRun(1000, func() { writeEntry(w, &e) }), key)
		}
	})
}

func TestLargeValuesAreStreamed(t *testing.T) {
	items := map[string]uint64{}
	for i := range 20_000 {
		items["a member of a large set "+strconv.Itoa(i)] = math.Float64bits(float64(i))
	}
	s := contents{
		{0, "z"}: {items: items, expireAt: store.NoExpiry},
		{0, "t"}: {text: strings.Repeat("v", 10*encoding.ChunkSize), expireAt: store.NoExpiry},
	}.store()
	var out bytes.Buffer
	w := NewWriter(&out, false)
	room := cap(w.enc.Bytes())
	write(s, 0, func(tx *store.Tx) { tx.Each(func(e *store.Entry) { require.NoError(t, writeEntry(w, e)) }) })
	require.NoError(t, w.Finish())
	require.Equal(t, room, cap(w.enc.Bytes()), "the buffer has not grown")
	require.Equal(t, contentsOf(s), loaded(t, out.Bytes()))
}
