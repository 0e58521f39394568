package rdb

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"testing"

	"cellserver/persistence/rdb/encoding"
	"cellserver/resp/resptest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// payloadOf appends the version and the checksum of a payload to a type and a value.
func payloadOf(body string, version uint16) []byte {
	b := binary.LittleEndian.AppendUint16([]byte(body), version)
	return binary.LittleEndian.AppendUint64(b, encoding.Checksum(0, b))
}

// texted returns a string after its length, without any encoding.
func texted(s string) string {
	var e encoding.Encoder
	e.Length(uint64(len(s)))
	return string(e.Bytes()) + s
}

// The sizes of the headers of packed lists.
const (
	listpackHeader = 4 + 2
	ziplistHeader  = 4 + 4 + 2
)

// backLength returns how many bytes a listpack of this test uses for the length of an element.
func backLength(size int) int {
	switch {
	case size <= 127:
		return 1
	case size < 16383:
		return 2
	}
	return 3
}

// ziplist makes a ziplist of elements, which begin with their encodings.
func ziplist(elements ...string) string {
	var b []byte
	before := 0
	for _, e := range elements {
		at := len(b)
		if before < 254 {
			b = append(b, byte(before))
		} else {
			b = binary.LittleEndian.AppendUint32(append(b, 254), uint32(before))
		}
		b = append(b, e...)
		before = len(b) - at
	}
	size := ziplistHeader + len(b) + 1
	head := binary.LittleEndian.AppendUint32(nil, uint32(size))
	head = binary.LittleEndian.AppendUint32(head, uint32(size-1-before))
	head = binary.LittleEndian.AppendUint16(head, uint16(len(elements)))
	return string(head) + string(b) + "\xff"
}

// listpack makes a listpack of elements, which begin with their encodings.
func listpack(elements ...string) string {
	b := make([]byte, listpackHeader)
	for _, e := range elements {
		b = append(b, e...)
		n := backLength(len(e))
		for i := n - 1; i >= 0; i-- {
			c := byte(len(e)>>(7*i)) & 0x7f
			if i < n-1 {
				c |= 0x80
			}
			b = append(b, c)
		}
	}
	b = append(b, 0xff)
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	binary.LittleEndian.PutUint16(b[4:], uint16(len(elements)))
	return string(b)
}

// oldEncodings are values as old and new servers have written them.
var oldEncodings = []struct {
	name, body string
	want       content
}{
	{"scores as text", "\x03\x04" + "\x01a\xfe" + "\x01b\xff" + "\x01c\x031.5" + "\xc0\x07\x04-1e2", content{items: scores(
		"a", math.Inf(1), "b", math.Inf(-1), "c", 1.5, "7", -100)}},
	{"ziplist", "\x0c" + texted(ziplist(
		"\x01a", "\xf1", "\x01b", "\xfd", "\xfe\x80", "\xc0\x00\x80", "\xf0\x00\x00\x80", "\xd0\x00\x00\x00\x80",
		"\xe0\x00\x00\x00\x00\x00\x00\x00\x80", "\x041e10", "\x40\x40"+strings.Repeat("m", 64), "\x03inf",
		"\x80\x00\x00\x40\x00"+strings.Repeat("M", 16384), "\x04-inf", "\x00", "\xfe\xff")),
		content{items: scores("a", 0.0, "b", 12.0, "-128", -32768.0, "-8388608", -2147483648.0, "-9223372036854775808", 1e10,
			strings.Repeat("m", 64), math.Inf(1), strings.Repeat("M", 16384), math.Inf(-1), "", -1.0)}},
	{"listpack", "\x11" + texted(listpack(
		"\x00", "\x7f", "\xc1\x00", "\xdf\xff", "\xd0\x00", "\xcf\xff", "\xf1\xff\x7f", "\xf1\x00\x80", "\xf2\xff\xff\x7f", "\xf2\x00\x00\x80",
		"\xf3\xff\xff\xff\x7f", "\xf3\x00\x00\x00\x80", "\xf4\xff\xff\xff\xff\xff\xff\xff\x7f", "\x84-2.5",
		"\x80", "\x811", "\xe0\x40"+strings.Repeat("m", 64), "\x83inf", "\xf0\x00\x10\x00\x00"+strings.Repeat("M", 4096), "\x84-inf",
		"\xe0\x7b"+strings.Repeat("x", 123), "\x812", "\xe0\x7e"+strings.Repeat("x", 126), "\x813")),
		content{items: scores("0", 127.0, "256", -1.0, "-4096", 4095.0, "32767", -32768.0, "8388607", -8388608.0,
			"2147483647", -2147483648.0, "9223372036854775807", -2.5, "", 1.0, strings.Repeat("m", 64), math.Inf(1),
			strings.Repeat("M", 4096), math.Inf(-1), strings.Repeat("x", 123), 2.0, strings.Repeat("x", 126), 3.0)}},
	{"hash", "\x04\x02" + "\x01b\xc0\x07" + "\xc0\x05\x01y", hashOf("5", "y", "b", "7")},
	{"set", "\x02\x02" + "\x01b\xc0\x07", setOf("7", "b")},
	{"set of integers of 2 bytes", "\x0b" + texted("\x02\x00\x00\x00\x02\x00\x00\x00\xfe\xff\x07\x00"), setOf("-2", "7")},
	{"set of integers of 8 bytes", "\x0b" + texted("\x08\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f"), setOf("9223372036854775807")},
	{"hash in a ziplist", "\x0d" + texted(ziplist("\x01a", "\xf1", "\xfe\x80", "\x00")), hashOf("-128", "", "a", "0")},
	{"hash in a listpack", "\x10" + texted(listpack("\x811", "\x81x", "\xf1\xff\x7f", "\x80")), hashOf("1", "x", "32767", "")},
	{"hash in a zipmap", "\x09" + texted("\x02\x03foo\x03\x02barxx"+"\x00\xfe\xfe\x00\x00\x00\x00"+strings.Repeat("z", 254)+"\xff"),
		hashOf("", strings.Repeat("z", 254), "foo", "bar")},
	{"list", "\x01\x03" + "\x01b\xc0\x07\x01b", listOf("b", "7", "b")},
	{"list in a ziplist", "\x0a" + texted(ziplist("\x01a", "\xf1", "\x01a")), listOf("a", "0", "a")},
	{"list in ziplists", "\x0e\x02" + texted(ziplist("\x01b", "\xf1")) + texted(ziplist("\x01a")), listOf("b", "0", "a")},
	{"list in listpacks", "\x12\x03\x02" + texted(listpack("\x811", "\x81x")) + "\x01\x03big" + "\x02" + texted(listpack("\x80")), listOf("1", "x", "big", "")},
	{"compressed", "\x00\xc3\x08\x40\x64" + "\x01aa\xe0\x58\x01\x00b", content{text: strings.Repeat("a", 99) + "b"}},
	{"compressed, with a period of three bytes", "\x00\xc3\x07\x1b" + "\x02abc\xe0\x0f\x02", content{text: strings.Repeat("abc", 9)}},
	{"long length of a short text", "\x00\x81\x00\x00\x00\x00\x00\x00\x00\x02hi", content{text: "hi"}},
}

// listOf makes a list of elements.
func listOf(all ...string) content {
	c := setOf(all...)
	c.kind = store.List
	return c
}

// setOf makes a set of sorted members.
func setOf(all ...string) content {
	c := content{kind: store.Set}
	for _, member := range all {
		c.parts = append(c.parts, [2]string{member})
	}
	return c
}

// hashOf makes a hash of fields and values, sorted by field.
func hashOf(all ...string) content {
	c := content{kind: store.Hash}
	for i := 0; i < len(all); i += 2 {
		c.parts = append(c.parts, [2]string{all[i], all[i+1]})
	}
	return c
}

// scores makes items of pairs: a member and its score.
func scores(pairs ...any) map[string]uint64 {
	items := map[string]uint64{}
	for i := 0; i < len(pairs); i += 2 {
		var f float64
		switch n := pairs[i+1].(type) {
		case float64:
			f = n
		case int:
			f = float64(n)
		}
		items[pairs[i].(string)] = math.Float64bits(f)
	}
	return items
}

func TestOldEncodings(t *testing.T) {
	for _, c := range oldEncodings {
		want := c.want
		want.expireAt = store.NoExpiry
		for _, version := range []uint16{1, 6, 12} {
			v, err := DecodePayload(payloadOf(c.body, version))
			require.NoError(t, err, c.name)
			require.Equal(t, want, contentOfValue(t, &v), c.name)
		}
		inFile := sealed("REDIS0006\xfe\x00" + c.body[:1] + "\x01k" + c.body[1:])
		require.Equal(t, contents{{0, "k"}: want}, loaded(t, inFile), c.name)
	}
}

// TestRedisAgreesOnOldEncodings compares the values above with what Redis reads.
func TestRedisAgreesOnOldEncodings(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t, "--sanitize-dump-payload", "yes"))
	for _, c := range oldEncodings {
		want := c.want
		want.expireAt = store.NoExpiry
		require.Equal(t, resptest.Simple("OK"), redis.Do("RESTORE", "k", 0, payloadOf(c.body, 9), "REPLACE"), c.name)
		require.Equal(t, want, contentOf(t, redis, "k"), c.name)
	}
}

// badValues are invalid values, and what the error expects instead.
var badValues = []struct {
	name, body, expected string
	lax                  bool // Redis accepts the value
}{
	{"NaN", "\x05\x01\x01a" + le64(math.Float64bits(math.NaN())), "a score", false},
	{"NaN as text", "\x03\x01\x01a\xfd", "a score", false},
	{"no number", "\x03\x01\x01a\x03abc", "a score", false},
	{"a member twice", "\x03\x02\x01a\x011\x01a\x012", "each member once", false},
	{"fewer members than said", "\x03\x03\x01a\x011\x01b\x012", "a member", false},
	{"encoded length", "\x03\xc0\x01\x01a\x011", "the number of members", false},
	{"unknown length", "\x00\x82\x01a", "a string", false},
	{"unknown encoding", "\x00\xc4\x01a", "a string", false},
	{"LZF: too long", "\x00\xc3\x03\x05\x01ab", "a string", false},
	{"LZF: too short", "\x00\xc3\x03\x01\x01ab", "a string", false},
	{"LZF: from before the beginning", "\x00\xc3\x05\x05\x00a\x20\x05\x00", "a string", false},
	{"LZF: ends in a repetition", "\x00\xc3\x03\x05\x00a\x20", "a string", false},
	{"LZF: ends in a run", "\x00\xc3\x03\x05\x05ab", "a string", false},
	{"LZF: impossible expansion", "\x00\xc3\x03\x81\x00\x00\x01\x00\x00\x00\x00\x00\x02abc", "a string", false},
	{"listpack: length", "\x11" + texted("x"+listpack("\x81a", "\x01")[1:]), "a listpack with its own length", false},
	{"listpack: nothing", "\x11\x00", "a listpack with its own length", false},
	{"listpack: no end", "\x11" + texted(strings.TrimSuffix(listpack("\x81a", "\x01"), "\xff")+"\x00"), "the end of a listpack", false},
	{"listpack: cut", "\x11" + texted(listpack("\x81a", "\xe0")), "an element of a listpack", false},
	{"listpack: backwards", "\x11" + texted(strings.Replace(listpack("\x81a", "\x01"), "a\x02", "a\x03", 1)), "an element of a listpack", false},
	{"listpack: unknown", "\x11" + texted(listpack("\x81a", "\xf5")), "an element of a listpack", false},
	{"listpack: odd", "\x11" + texted(listpack("\x81a")), "a sorted set of pairs", false},
	{"listpack: no score", "\x11" + texted(listpack("\x81a", "\x81b")), "a score", true},
	{"listpack: count", "\x11" + texted(strings.Replace(listpack("\x81a", "\x01"), "\x02\x00", "\x03\x00", 1)), "the number of elements of a listpack", false},
	{"ziplist: before", "\x0c" + texted(strings.Replace(ziplist("\x01a", "\xf1"), "\x03\xf1", "\x04\xf1", 1)), "an element of a ziplist", false},
	{"ziplist: unknown", "\x0c" + texted(ziplist("\x01a", "\xff")), "an element of a ziplist", false},
	{"ziplist: cut", "\x0c" + texted(ziplist("\x01a", "\xe0\x00")), "an element of a ziplist", false},
	{"list in listpacks: kind", "\x12\x01\x03\x01a", "the kind 1 or 2 of a container", false},
	{"list in listpacks: count", "\x12\x02\x01\x01a", "the kind of a container", false},
	{"list in ziplists: cut", "\x0e\x01" + texted(ziplist("\x01a", "\xe0\x00")), "an element of a ziplist", false},
	{"empty", "\x05\x00", "a sorted set with members", false},
}

func TestBadValues(t *testing.T) {
	for _, c := range badValues {
		_, err := DecodePayload(payloadOf(c.body, 9))
		var at *Error
		require.ErrorAs(t, err, &at, c.name)
		require.Contains(t, at.Expected, c.expected, c.name)
		require.LessOrEqual(t, at.Offset, int64(len(c.body)), c.name)
		require.Contains(t, err.Error(), "rdb: at byte "+strconv.FormatInt(at.Offset, 10)+": expected ", c.name)
	}
}

func TestRedisRefusesBadValues(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t, "--sanitize-dump-payload", "yes"))
	for _, c := range badValues {
		if c.lax {
			continue
		}
		require.Equal(t, resptest.Error("ERR Bad data format"), redis.Do("RESTORE", "k", 0, payloadOf(c.body, 9), "REPLACE"), c.name)
	}
}

func TestPayloadErrors(t *testing.T) {
	whole := payloadOf("\x00\x01v", 9)
	for name, p := range map[string][]byte{
		"nothing": nil, "short": whole[len(whole)-payloadTail+1:], "newer": payloadOf("\x00\x01v", 17), "cut": whole[:len(whole)-1],
		"no checksum": append(whole[:len(whole)-checksumSize:len(whole)-checksumSize], make([]byte, checksumSize)...),
	} {
		_, err := DecodePayload(p)
		require.ErrorIs(t, err, ErrPayload, name)
	}
	for name, body := range map[string]string{"no type": "", "opcode": "\xff\x01v", "more": "\x00\x01vx", "less": "\x00\x02v"} {
		_, err := DecodePayload(payloadOf(body, 9))
		var at *Error
		require.ErrorAs(t, err, &at, name)
	}
	_, err := DecodePayload(payloadOf("\x0f\x01\x01v", 9))
	require.Equal(t, &Unsupported{Type: "stream"}, err)
	_, err = DecodePayload(payloadOf("\x08\x01\x01v", 9))
	require.Error(t, err)
}
