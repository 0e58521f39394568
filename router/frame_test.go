package router

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFrame cuts replies at every byte: the end is found at the same place.
func TestFrame(t *testing.T) {
	for _, reply := range []string{
		"+OK\r\n", "-ERR no\r\n", ":-1\r\n", "$-1\r\n", "$0\r\n\r\n", "$5\r\na\r\nbc\r\n", "*0\r\n", "*-1\r\n",
		"*2\r\n:1\r\n*2\r\n$1\r\nx\r\n+y\r\n", "%1\r\n+k\r\n*1\r\n:1\r\n", "~2\r\n:1\r\n:2\r\n", "_\r\n", ",1.5\r\n",
		"#t\r\n", "(12345\r\n", "=7\r\ntxt:abc\r\n", "!5\r\nERR x\r\n", "|1\r\n+a\r\n:1\r\n*1\r\n:2\r\n",
	} {
		for cut := range len(reply) {
			var f frame
			used, done, err := f.scan([]byte(reply[:cut]))
			require.NoError(t, err, reply)
			require.False(t, done, "%q ends at %d", reply, cut)
			n, done, err := f.scan([]byte(reply[used:] + "+next\r\n"))
			require.NoError(t, err, reply)
			require.True(t, done, reply)
			require.Equal(t, len(reply), used+n, reply)
		}
	}
	for _, wrong := range []string{"x\r\n", "\r\n", "\n", "$x\r\n", "*-2\r\n", ">1\r\n+x\r\n", "$9999999999999\r\n"} {
		var f frame
		_, _, err := f.scan([]byte(wrong))
		require.ErrorIs(t, err, errFrame, wrong)
	}
	var f frame
	_, _, err := f.scan([]byte("$" + strings.Repeat("1", longestHeader)))
	require.ErrorIs(t, err, errFrame, "a length without an end")
}

// TestElements: each element of an array is found, however the reply is cut into pieces.
func TestElements(t *testing.T) {
	const reply = "*5\r\n+OK\r\n*2\r\n:1\r\n$2\r\n\r\n\r\n:0\r\n$-1\r\n-ERR no\r\n"
	for cut := range len(reply) {
		var whole frame
		var e Elements
		got := map[int]string{}
		used, _, err := whole.scan([]byte(reply[:cut]))
		require.NoError(t, err)
		for _, piece := range []string{reply[:used], reply[used:]} {
			if piece != "" {
				e.Each([]byte(piece), func(i int, begin []byte) { got[i] = string(begin[:2]) })
			}
		}
		require.Equal(t, map[int]string{0: "+O", 1: "*2", 2: ":0", 3: "$-", 4: "-E"}, got, cut)
	}
	for _, reply := range []string{"-EXECABORT no\r\n", "_\r\n", "*-1\r\n", "*0\r\n", "+OK\r\n"} {
		new(Elements).Each([]byte(reply), func(int, []byte) { t.Error(reply) })
	}
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("*2\r\n$1\r\nx\r\n%1\r\n+a\r\n:1\r\n"), 3)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		var whole, parts frame
		n, done, err := whole.scan(text)
		if cut < 0 || cut > len(text) {
			return
		}
		used, early, errParts := parts.scan(text[:cut])
		if !early && errParts == nil {
			var rest int
			rest, early, errParts = parts.scan(text[used:])
			used += rest
		}
		if err == nil && (n != used || done != early || errParts != nil) {
			t.Fatalf("%q: %d %v, cut at %d: %d %v %v", text, n, done, cut, used, early, errParts)
		}
	})
}
