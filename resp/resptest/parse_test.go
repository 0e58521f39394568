package resptest

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for wire, want := range map[string]any{
		"+OK\r\n":                             Simple("OK"),
		"-ERR no\r\n":                         Error("ERR no"),
		"!6\r\nERR\r\nx\r\n":                  Error("ERR\r\nx"),
		":-12\r\n":                            int64(-12),
		"$3\r\na\r\n\r\n":                     "a\r\n",
		"$0\r\n\r\n":                          "",
		"$-1\r\n":                             NilBulk,
		"*-1\r\n":                             NilArray,
		"_\r\n":                               Nil3,
		"*0\r\n":                              []any{},
		"*2\r\n:1\r\n*1\r\n$-1\r\n":           []any{int64(1), []any{NilBulk}},
		"%1\r\n+a\r\n,1.5\r\n":                Map{{Simple("a"), 1.5}},
		"~1\r\n#t\r\n":                        Set{true},
		">2\r\n+a\r\n#f\r\n":                  Push{Simple("a"), false},
		",-inf\r\n":                           math.Inf(-1),
		",1e+17\r\n":                          1e17,
		"(123456789012345678901234567890\r\n": BigNumber("123456789012345678901234567890"),
		"=6\r\ntxt:ab\r\n":                    Verbatim{"txt", "ab"},
		"|1\r\n+k\r\n+v\r\n:7\r\n":            int64(7),
	} {
		got, n, err := Parse([]byte(wire + "rest"))
		require.NoError(t, err, wire)
		require.Equal(t, want, got, wire)
		require.Equal(t, len(wire), n, wire)
		for cut := range len(wire) {
			_, _, err := Parse([]byte(wire[:cut]))
			require.ErrorIs(t, err, ErrIncomplete, wire[:cut])
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, wire := range []string{
		"\r\n", "OK\r\n", ":\r\n", ":1.5\r\n", "$-2\r\n", "$01\r\n1\r\n", "$+1\r\na\r\n", "~-1\r\n", "_x\r\n", "#x\r\n",
		",0x1\r\n", ",\r\n", "=3\r\ntxt\r\n", "$1\r\nabc", "+a\n", "+a\rb\r\n", "$99999999999999999999\r\n",
	} {
		_, _, err := Parse([]byte(wire))
		require.Error(t, err, wire)
		require.NotErrorIs(t, err, ErrIncomplete, wire)
	}
}

func TestCommand(t *testing.T) {
	require.Equal(t, "*5\r\n$1\r\na\r\n$2\r\n-1\r\n$3\r\n0.1\r\n$1\r\n1\r\n$0\r\n\r\n", string(Command("a", -1, 0.1, true, []byte{})))
}
