package rdb

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"cellserver/persistence/rdb/encoding"
	"cellserver/resp/resptest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func TestAttributes(t *testing.T) {
	p := sealed("REDIS0012" +
		"\xfa\x09redis-ver\x057.4.0" + "\xfa\x04bits\xc0\x40" +
		"\xfe\x02\xfb\x05\x03\xf4\x01\x02\x00" +
		"\xfd\x01\x00\x00\x00\x00\x01a\x01x" +
		"\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xf8\x40\xc8\x00\x01b\x01y" +
		"\xf9\xff\x00\x01c\x01z" +
		"\xf5\x0d#!lua name=x\n" +
		"\x00\x01d\xc0\x05")
	facts := map[string]string{}
	var got []Record
	r, err := read(bytes.NewReader(p), Options{SkipUnsupported: true, Aux: func(name, value string) { facts[name] = value }}, func(rec *Record) {
		own := *rec
		own.Key, own.Value.Bytes = bytes.Clone(rec.Key), bytes.Clone(rec.Value.Bytes)
		got = append(got, own)
	})
	require.NoError(t, err)
	require.Equal(t, 12, r.version)
	require.Equal(t, map[string]string{"redis-ver": "7.4.0", "bits": "64"}, facts)
	require.Equal(t, map[string]int{"function library": 1}, r.Skipped())
	text := func(s string) Value { return Value{Kind: store.Raw, Bytes: []byte(s)} }
	require.Equal(t, []Record{
		{DB: 2, Key: []byte("a"), ExpireAt: 1000, Idle: -1, Freq: -1, Value: text("x")},
		{DB: 2, Key: []byte("b"), ExpireAt: -1, Idle: 200, Freq: -1, Value: text("y")},
		{DB: 2, Key: []byte("c"), ExpireAt: store.NoExpiry, Idle: -1, Freq: 255, Value: text("z")},
		{DB: 2, Key: []byte("d"), ExpireAt: store.NoExpiry, Idle: -1, Freq: -1, Value: Value{Kind: store.Int, Int: 5}},
	}, got)
}

// TestUsesInAFile: a file of an LRU policy says nothing about the use counters of LFU, and the other way round.
func TestUsesInAFile(t *testing.T) {
	p := sealed("REDIS0012\xfe\x00\xf8\x40\xc8\x00\x01b\x01y\xf9\xff\x00\x01c\x01z\x00\x01d\xc0\x05")
	for lfu, want := range map[bool][]int64{false: {200, 0, 0}, true: {5, 255, 5}} {
		s := store.New(store.Options{Databases: 1})
		s.UseLFU(lfu)
		_, err := Load(bytes.NewReader(p), s, LoadOptions{Now: 1_700_000_000e9})
		require.NoError(t, err)
		tx := s.NewTx()
		tx.BeginAll(1_700_000_000e9, 0)
		for i, key := range []string{"b", "c", "d"} {
			e := tx.Peek([]byte(key))
			if lfu {
				require.Equal(t, want[i], e.Freq(), key)
			} else {
				require.Equal(t, want[i], e.Idle(), key)
			}
		}
		tx.End()
	}
}

func TestVersions(t *testing.T) {
	const body = "\xfe\x00\x00\x01k\x01v"
	want := contents{{0, "k"}: {text: "v", expireAt: store.NoExpiry}}
	for _, version := range []string{"0001", "0002", "0003", "0004"} {
		require.Equal(t, want, loaded(t, []byte("REDIS"+version+body+"\xff")), "no checksum yet")
	}
	for _, version := range []string{"0005", "0009", "0010", "0011", "0012", "0013", "0016"} {
		require.Equal(t, want, loaded(t, sealed("REDIS"+version+body)))
		require.Equal(t, want, loaded(t, []byte("REDIS"+version+body+"\xff"+le64(0))), "a checksum that is switched off")
		require.ErrorContains(t, check([]byte("REDIS"+version+body+"\xff"+le64(1))), "expected the checksum ")
	}
	for _, head := range []string{"REDIS0000", "REDIS0017", "REDIS-001", "REDIS 9  ", "VALKEY079", "VALKEY081", "redis0009"} {
		require.ErrorContains(t, check(sealed(head+body)), "rdb: at byte ", head)
	}
}

// TestValkey9 requires that the reader takes files of Valkey 9. A hash with expiring fields has its own form there.
func TestValkey9(t *testing.T) {
	const body = "\xfe\x00\xf4\x05\x01\x00\x00\x01k\x01v"
	require.Equal(t, contents{{0, "k"}: {text: "v", expireAt: store.NoExpiry}}, loaded(t, sealed("VALKEY080"+body)))

	p := sealed("VALKEY080\xfe\x00\x16\x01h\x02" + "\x01f\x01v" + le64(7) + "\x01g\x01w" + le64(1<<63) + "\x00\x01k\x01v")
	_, err := read(bytes.NewReader(p), Options{}, func(*Record) {})
	require.Equal(t, &Unsupported{Offset: 11, Type: "hash with expiring fields", Key: "h"}, err)
	var left []string
	r, err := read(bytes.NewReader(p), Options{SkipUnsupported: true}, func(rec *Record) { left = append(left, string(rec.Key)) })
	require.NoError(t, err)
	require.Equal(t, []string{"k"}, left)
	require.Equal(t, map[string]int{"hash with expiring fields": 1}, r.Skipped())

	for head, want := range map[string]string{
		"VALKEY080": "rdb: at byte 9: expected a key, found a slot on its way from another node: let the move end, and save again",
		"REDIS0013": "rdb: at byte 9: expected a key, found metadata of a module, which this server does not keep",
	} {
		require.EqualError(t, check(sealed(head+"\xf3\x01")), want)
	}
}

// TestExpiringMembersOfKeyDB requires that no expiry of a member is lost in silence.
func TestExpiringMembersOfKeyDB(t *testing.T) {
	p := sealed("REDIS0009\xfe\x00\x02\x01s\x01\x01m\xfa\x13keydb-subexpire-key\x01m\xfa\x14keydb-subexpire-when\x0213")
	_, err := read(bytes.NewReader(p), Options{}, func(*Record) {})
	require.ErrorContains(t, err, `key "s" has the unsupported type expiry of one member (KeyDB)`)
	r, err := read(bytes.NewReader(p), Options{SkipUnsupported: true}, func(rec *Record) { require.Equal(t, "s", string(rec.Key)) })
	require.NoError(t, err)
	require.Equal(t, map[string]int{"expiry of one member (KeyDB)": 1}, r.Skipped())
}

// TestBadFiles requires errors that name the place of the fault.
func TestBadFiles(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"opcode":       {"\xf6", `rdb: at byte 9: expected an opcode or the type of a value, found 246, which is neither: a newer server wrote it, or the file is damaged`},
		"type":         {"\x08\x01k", `rdb: at byte 9: expected an opcode or the type of a value, found 8, which is neither: a newer server wrote it, or the file is damaged`},
		"database":     {"\xfe\x80\xff\xff\xff\xff", `rdb: at byte 10: expected the number of a database, found 4294967295`},
		"idle":         {"\xf8\x81\xff\xff\xff\xff\xff\xff\xff\xff", `rdb: at byte 10: expected an idle time, found 18446744073709551615 seconds`},
		"length":       {"\xfb\xc0\x00", `rdb: at byte 10: expected the number of keys, found the encoding 0 of a string`},
		"module's end": {"\xf7\x00\x06", `rdb: at byte 11: expected a part of a module's value, found the unknown part 6`},
	} {
		err := check(sealed("REDIS0009" + c.body))
		require.EqualError(t, err, c.want, name)
	}
}

// TestClaimsTakeNoMemory requires that memory grows with the bytes that are there, not with what lengths claim.
func TestClaimsTakeNoMemory(t *testing.T) {
	huge := "\x81\x00\x00\x01\x00\x00\x00\x00\x00" // 2^40
	most := "\x81\xff\xff\xff\xff\xff\xff\xff\xff"
	for name, body := range map[string]string{
		"key": "\x00" + huge, "value": "\x00\x01k" + huge, "members": "\x05\x01k" + huge, "most members": "\x05\x01k" + most, "most": "\x00" + most,
		"compressed": "\x00\x01k\xc3\x03" + huge + "abc", "compressed from": "\x00\x01k\xc3" + huge + huge, "fact": "\xfa" + most,
		"list": "\x01\x01k" + most, "containers": "\x12\x01k" + most, "ziplists": "\x0e\x01k" + most, "stream": "\x0f\x01k" + most, "module": "\x07\x01k\x00\x05" + most, "function": "\xf5" + huge,
		"keys": "\xfe\x00\xfb" + most + most,
	} {
		p := []byte("REDIS0009" + body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := check(p)
		runtime.ReadMemStats(&after)
		require.Error(t, err, name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4*encoding.ChunkSize), name)
	}
}

func TestUnsupportedTypesAreNamed(t *testing.T) {
	// "moduletyp", version 3
	const module = "\x07\x01k\x81\x9a\x87\x6e\x95\xeb\x72\xa4\x03" + "\x01\x05" + "\x02\x06" + "\x03abcd" + "\x04abcdefgh" + "\x05\x02hi" + "\x00"
	// a stream with one node, and a group with one pending entry, of one consumer
	id, at := strings.Repeat("i", streamIDSize), le64(1)
	stream := func(counts, groupCounts, seen string) string {
		return "\x01k" + "\x01\x10" + id + "\x03abc" + counts + "\x01\x01g" + groupCounts + "\x01" + id + at + "\x02" + "\x01\x01c" + seen + "\x01" + id
	}
	const expiring = "hash with expiring fields"
	for body, want := range map[string]string{
		"\x0f" + stream("\x01\x05\x00", "\x05\x00", at):                            "stream",
		"\x13" + stream("\x01\x05\x00\x05\x00\x00\x00\x01", "\x05\x00\x01", at):    "stream",
		"\x15" + stream("\x01\x05\x00\x05\x00\x00\x00\x01", "\x05\x00\x01", at+at): "stream",
		"\x16\x01k\x01\x00\x01f\x01v":                                              expiring, "\x17\x01k\x01v": expiring, "\x18\x01k" + le64(7) + "\x01\x00\x01f\x01v": expiring,
		"\x19\x01k" + le64(7) + "\x01v": expiring, module: `module type "moduletyp"`,
	} {
		p := sealed("REDIS0012\xfe\x00" + "\xfc" + le64(5) + body + "\x00\x01l\x01v")
		_, err := read(bytes.NewReader(p), Options{}, func(*Record) {})
		require.Equal(t, &Unsupported{Offset: 20, Type: want, Key: "k"}, err)
		require.ErrorContains(t, err, `key "k" has the unsupported type `+want)

		var left []string
		r, err := read(bytes.NewReader(p), Options{SkipUnsupported: true}, func(rec *Record) {
			left = append(left, string(rec.Key))
			require.Equal(t, store.NoExpiry, rec.ExpireAt, "the expiry of the key that was left out is dropped")
		})
		require.NoError(t, err, want)
		require.Equal(t, []string{"l"}, left)
		require.Equal(t, map[string]int{want: 1}, r.Skipped())
	}
	old := sealed("REDIS0006\xfe\x00" + "\x06" + module[1:] + "\x00\x01l\x01v")
	err := check(old)
	require.ErrorContains(t, err, `key "k" has the unsupported type module type "moduletyp"`, "a value that does not say where it ends")
}

func TestDataOfModulesIsSkipped(t *testing.T) {
	p := sealed("REDIS0009" + "\xf7\x81\x9a\x87\x6e\x95\xeb\x72\xa4\x03" + "\x02\x01" + "\x05\x02hi" + "\x00" + "\xfe\x00\x00\x01k\x01v")
	r, err := read(bytes.NewReader(p), Options{SkipUnsupported: true}, func(*Record) {})
	require.NoError(t, err)
	require.Equal(t, map[string]int{`data of module type "moduletyp"`: 1}, r.Skipped())
	_, err = read(bytes.NewReader(p), Options{}, func(*Record) {})
	require.EqualError(t, err, `rdb: at byte 19: the file has an unsupported part: data of module type "moduletyp"`)
}

// TestFunctionsAreNotLostInSilence: the next snapshot would replace the only file that has them.
func TestFunctionsAreNotLostInSilence(t *testing.T) {
	p := sealed("REDIS0010" + "\xf5\x0d#!lua name=x\n" + "\xfe\x00\x00\x01k\x01v")
	_, err := read(bytes.NewReader(p), Options{}, func(*Record) {})
	require.EqualError(t, err, "rdb: at byte 10: the file has an unsupported part: function library")
	r, err := read(bytes.NewReader(p), Options{SkipUnsupported: true}, func(*Record) {})
	require.NoError(t, err)
	require.Equal(t, map[string]int{"function library": 1}, r.Skipped())
}

func TestEmptySortedSetsAreSkipped(t *testing.T) {
	p := sealed("REDIS0010\xfe\x00" + "\xfc" + le64(5) + "\x05\x01e\x00" + "\x00\x01k\x01v")
	require.Equal(t, contents{{0, "k"}: {text: "v", expireAt: store.NoExpiry}}, loaded(t, p))
}

// TestOtherTypesOfRedisAreSkipped lets Redis write all of its types and encodings, and requires the supported keys.
func TestOtherTypesOfRedisAreSkipped(t *testing.T) {
	long := strings.Repeat("x", 100)
	story := [][]any{
		{"RPUSH", "list", "a", "b", 5}, {"RPUSH", "long list", long, strings.Repeat("y", 10_000)},
		{"SADD", "ints", 1, 2, 300000}, {"SADD", "set", "a", long},
		{"HSET", "hash", "f", "v"}, {"HSET", "long hash", "f", long},
		{"XADD", "stream", "1-1", "f", "v"}, {"XADD", "stream", "2-1", "f", "w"}, {"XADD", "groups", "1-1", "f", "v"},
		{"XGROUP", "CREATE", "groups", "g", "0"}, {"XREADGROUP", "GROUP", "g", "consumer", "STREAMS", "groups", ">"},
		{"PFADD", "hyperloglog, a string", "a"}, {"SET", "text", "v"}, {"ZADD", "z", 1, "m"},
		{"FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 1 end)"},
		{"SAVE"},
	}
	socket := resptest.StartRedis(t)
	redis := resptest.Dial(t, socket)
	for _, call := range story {
		_, failed := redis.Do(call...).(resptest.Error)
		require.False(t, failed, "%v", call)
	}
	p, err := os.ReadFile(filepath.Join(filepath.Dir(socket), "dump.rdb"))
	require.NoError(t, err)
	keys := map[string]bool{}
	r, err := read(bytes.NewReader(p), Options{SkipUnsupported: true}, func(rec *Record) { keys[string(rec.Key)] = true })
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"hyperloglog, a string": true, "text": true, "z": true, "hash": true, "long hash": true, "list": true, "long list": true, "ints": true, "set": true}, keys)
	require.Equal(t, map[string]int{"stream": 2, "function library": 1}, r.Skipped())
	_, err = read(bytes.NewReader(p), Options{}, func(*Record) {})
	var unsupported *Unsupported
	require.ErrorAs(t, err, &unsupported)
	require.Equal(t, "function library", unsupported.Type)
}

func TestReadingAStringAllocatesNothing(t *testing.T) {
	var b bytes.Buffer
	w := NewWriter(&b, false)
	s := contents{{0, "a key"}: {text: "1700000001123456789", expireAt: 1700000001124}}.store()
	write(s, 0, func(tx *store.Tx) {
		e := tx.Peek([]byte("a key"))
		for range 2000 {
			require.NoError(t, writeEntry(w, &e))
		}
	})
	require.NoError(t, w.Finish())
	r := NewReader(&b, Options{})
	require.Zero(t, testing.AllocsPerRun(1500, func() {
		if _, err := r.Next(); err != nil {
			panic(err)
		}
	}))
}

// TestALargeCollectionIsCheckedWithoutCopies: reading 1,000 members needs memory for all together, not for each.
func TestALargeCollectionIsCheckedWithoutCopies(t *testing.T) {
	score := "\x00\x00\x00\x00\x00\x00\x00\x00"
	for kind, second := range map[string]string{"\x02": "", "\x04": "\x01v", "\x05": score} {
		body := kind + "\x43\xe8"
		for i := range 1000 {
			body += "\x08" + strconv.Itoa(10_000_000+i) + second
		}
		require.Less(t, testing.AllocsPerRun(10, func() {
			r := payloadReader{dec: encoding.DecoderOf([]byte(body))}
			require.NoError(t, r.read(int64(len(body))))
		}), 100.0, "%q", kind)
	}
}

// FuzzRead reads any bytes. It must end with an error or after the checksum, and its memory must fit
// the size of the input. If it accepts a file, that file can be written and read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte("REDIS0009\x00\x81\x00\x00\x01\x00\x00\x00\x00\x00abc"))
	f.Add([]byte("REDIS0003\xfe\x00\xfd\x01\x02\x03\x04\x00\x01k\xc3\x08\x1b\x02abc\xe0\x0f\x02\xff"))
	for _, c := range oldEncodings {
		if len(c.body) < 500 {
			f.Add([]byte("REDIS0004\xfe\x00" + c.body[:1] + "\x01k" + c.body[1:] + "\xff"))
		}
	}
	for _, c := range badValues {
		f.Add([]byte("REDIS0004\xfe\x00" + c.body[:1] + "\x01k" + c.body[1:] + "\xff"))
	}
	f.Add([]byte("REDIS0012\xf7\x00\x01\x05\x02\x06\x03abcd\x04abcdefgh\x05\x02hi\x00\x15\x01k\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff" + le64(0)))
	f.Add([]byte("REDIS0012\xf5\x0d#!lua name=x\n\xfa\x0ecellserver-own\x06\x01k\x04\x01\x00\x00\xf4\x01\x02\x00\xff" + le64(0)))
	f.Add([]byte("VALKEY080\x16\x01k\x01\x01f\x01v" + le64(5) + "\xfa\x13keydb-subexpire-key\x01m\xff" + le64(0)))
	f.Fuzz(func(t *testing.T, p []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := store.New(store.Options{Databases: databases, Seed: 1})
		_, err := read(bytes.NewReader(p), Options{SkipUnsupported: true}, func(rec *Record) {
			if rec.DB >= 0 && rec.DB < databases {
				write(s, rec.DB, func(tx *store.Tx) {
					e := tx.Write(rec.Key)
					rec.Value.Put(&e, rec.ExpireAt)
				})
			}
		})
		runtime.ReadMemStats(&after)
		require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(len(p)+64<<20))
		var at *Error
		var unsupported *Unsupported
		require.True(t, err == nil || errors.As(err, &at) || errors.As(err, &unsupported), "%v", err)
		if err == nil {
			require.Equal(t, unsigned(contentsOf(s)), unsigned(loaded(t, file(t, s))))
		}
		DecodePayload(p)
		DecodePayload(payloadOf(string(p), Version))
	})
}

// throttleKeys returns a store with n throttle keys.
func throttleKeys(n int) *store.Store {
	s := store.New(store.Options{Databases: 1, Seed: 1})
	write(s, 0, func(tx *store.Tx) {
		for i := range n {
			tat := (now+1_000_000)*1e6 + int64(i)*1_234_567
			e := tx.Write([]byte("throttle:user:" + strconv.Itoa(i)))
			e.SetInt(tat, (tat+999_999)/1e6)
		}
	})
	return s
}

func BenchmarkWrite(b *testing.B) {
	s := throttleKeys(100_000)
	b.ReportAllocs()
	for b.Loop() {
		w := NewWriter(io.Discard, false)
		write(s, 0, func(tx *store.Tx) { tx.Each(func(e *store.Entry) { writeEntry(w, e) }) })
		require.NoError(b, w.Finish())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/key")
}

func BenchmarkRead(b *testing.B) {
	p := file(b, throttleKeys(100_000))
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, check(p))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/key")
}

// sortedSets returns a file of n sorted sets of ten members.
func sortedSets(b *testing.B, n int) []byte {
	s := store.New(store.Options{Databases: 1, Seed: 1})
	write(s, 0, func(tx *store.Tx) {
		for i := range n {
			e := tx.Write([]byte("log:user:" + strconv.Itoa(i)))
			for j := range 10 {
				e.ZAdd(float64(now)+float64(j), []byte("request:"+strconv.Itoa(i+j)))
			}
		}
	})
	return file(b, s)
}

func BenchmarkReadSortedSets(b *testing.B) {
	p := sortedSets(b, 10_000)
	b.SetBytes(int64(len(p)))
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, check(p))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/member")
}

// announced returns a file of keys, some of them expired. The file says that it has a number of keys.
func announced(t *testing.T, says, keys, expired int) []byte {
	var file bytes.Buffer
	w := NewWriter(&file, false)
	require.NoError(t, w.Select(0, says, 0))
	for i := range keys {
		at := now + 1000
		if i < expired {
			at = now - 1000
		}
		require.NoError(t, w.Key(&store.Image{Key: throttleKey(i), Kind: store.Int, Int: int64(i), ExpireAt: at}))
	}
	require.NoError(t, w.Finish())
	return file.Bytes()
}

// weigh loads a file. It returns the most memory of the store during the loading, and its memory after the loading.
func weigh(t *testing.T, file []byte) (most, after int64) {
	s := store.New(store.Options{Databases: 1})
	_, err := Load(bytes.NewReader(file), s, LoadOptions{
		Now: now * 1e6, Size: int64(len(file)), Progress: func(int64, int64) { most = max(most, s.Used()) },
	})
	require.NoError(t, err)
	return most, s.Used()
}

func TestRoomForKeysFitsTheFileSize(t *testing.T) {
	const keys = 5000
	_, fair := weigh(t, announced(t, 0, keys, 0))
	for _, says := range []int{1, 255, 256, keys / 2, keys, 2 * keys, math.MaxInt32, math.MaxInt} {
		file := announced(t, says, keys, 0)
		most, after := weigh(t, file)
		require.LessOrEqual(t, most, fair+2*int64(len(file)), "%d keys are announced", says)
		require.LessOrEqual(t, after, 2*fair, "%d keys are announced", says)
	}
}

func TestRoomForExpiredKeysIsGivenUp(t *testing.T) {
	const keys, left = 100_000, 1000
	_, fair := weigh(t, announced(t, 0, left, 0))
	_, after := weigh(t, announced(t, keys, keys, keys-left))
	require.LessOrEqual(t, after, 2*fair)
}
