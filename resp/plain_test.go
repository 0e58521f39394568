package resp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlainRefusesOtherRequests(t *testing.T) {
	for _, in := range []string{
		"", "*", "*1\r", "*1\r\n", "*1\r\n$", "*1\r\n$1", "*1\r\n$1\r\na\r", "*2\r\n$1\r\na\r\n", "*1\r\n$3\r\nab\r\n",
		"*0\r\n$1\r\na\r\n", "*10\r\n", "*1 \r\n$1\r\na\r\n", "*-1\r\n", "*1\r\n$01\r\na\r\n", "*1\r\n$1000\r\n" + strings.Repeat("x", 1002),
		"*1\r\n$-1\r\n\r\n", "*1\r\n:1\r\na\r\n", "*1\r\n$x\r\na\r\n", "*1\r\n$1x\r\na\r\n", "PING\r\n", wire(make([]string, 10)...),
	} {
		_, n := plain([]byte(in), nil)
		require.Zero(t, n, "%q", in)
	}
}

func TestPlain(t *testing.T) {
	for _, args := range [][]string{
		{""}, {"PING"}, {"SET", "k", ""}, {"a", "b", "c", "d", "e", "f", "g", "h", "i"},
		{strings.Repeat("x", 9), strings.Repeat("x", 10), strings.Repeat("x", 99), strings.Repeat("x", 100), strings.Repeat("x", 999)},
	} {
		in := wire(args...)
		got, n := plain([]byte(in+"*1\r\n$7\r\nnot yet"), nil)
		require.Equal(t, len(in), n)
		require.Equal(t, fmt.Sprintf("%q", args), fmt.Sprintf("%q", got))
		for cut := range in {
			_, n := plain([]byte(in[:cut]), nil)
			require.Zero(t, n, "cut at %d", cut)
		}
	}
}

// The parser accepts every request that plain accepts, and reads it the same.
func FuzzPlain(f *testing.F) {
	f.Add([]byte(wire("CL.THROTTLE", "user:1", "15", "30", "60")))
	for _, c := range hostile {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, n := plain(in, nil)
		if n == 0 {
			return
		}
		var p parser
		p.reset()
		p.limits = Limits{Unauthenticated: true}.orDefault()
		found, err := p.parse(in)
		require.NoError(t, err)
		require.Equal(t, complete, found)
		require.Equal(t, p.pos, n)
		require.Equal(t, p.arguments(in, nil), got)
	})
}
