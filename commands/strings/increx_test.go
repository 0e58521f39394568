package strings

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIncrex has the cases of the tests of the command in Redis (tests/unit/type/increx.tcl).
func TestIncrex(t *testing.T) {
	const greatest, least = "9223372036854775807", "-9223372036854775808"
	for _, c := range []struct {
		old, args string
		want      any // the reply, or the error
		value     any // of the key after it
	}{
		{"", "", []any{1, 1}, "1"},
		{"10", "", []any{11, 1}, "11"},
		{"100", "BYINT -10", []any{90, -10}, "90"},
		{"95", "BYINT 0", []any{95, 0}, "95"},
		{"50", "BYINT 100 UBOUND 80 SATURATE", []any{80, 30}, "80"},
		{"10", "byint -100 lbound 0 saturate", []any{0, -10}, "0"},
		{"5", "BYINT 1 LBOUND 0 UBOUND 10", []any{6, 1}, "6"},
		{"9223372036854775800", "BYINT 9223372036854775800 SATURATE", []any{9223372036854775807, 7}, greatest},
		{"9223372036854775800", "BYINT 9223372036854775800", []any{9223372036854775800, 0}, "9223372036854775800"},
		{"9223372036854775800", "BYINT 9223372036854775800 UBOUND " + greatest, []any{9223372036854775800, 0}, "9223372036854775800"},
		{"-9223372036854775800", "BYINT -9223372036854775800 SATURATE", []any{-9223372036854775808, -8}, least},
		{"-9223372036854775800", "BYINT -9223372036854775800", []any{-9223372036854775800, 0}, "-9223372036854775800"},
		{"9223372036854775800", "BYINT 1 SATURATE UBOUND " + least, errAppliedOverflow, "9223372036854775800"},
		{greatest, "BYINT -5 SATURATE UBOUND " + least, errAppliedOverflow, greatest},
		{least, "BYINT 1 SATURATE LBOUND " + greatest, errAppliedOverflow, least},
		{"", "BYINT 5 LBOUND 10", []any{0, 0}, nil},
		{"", "BYINT 15 UBOUND 10", []any{0, 0}, nil},
		{"50", "BYINT 5 UBOUND 30", []any{50, 0}, "50"},
		{"50", "BYINT 5 UBOUND 30 SATURATE", []any{30, -20}, "30"},
		{"-50", "BYINT -5 LBOUND -30 SATURATE", []any{-30, 20}, "-30"},
		{"50", "BYINT -25 UBOUND 30", []any{25, -25}, "25"},
		{"10", "BYINT -10 LBOUND 5", []any{10, 0}, "10"},
		{"5", "BYINT 5 UBOUND 10", []any{10, 5}, "10"},
		{"5", "LBOUND 0 BYINT 100 UBOUND 10 SATURATE", []any{10, 5}, "10"},

		{"1.5", "BYFLOAT 0.25", []any{"1.75", "0.25"}, "1.75"},
		{"10", "BYFLOAT 100 UBOUND 42.5 SATURATE", []any{"42.5", "32.5"}, "42.5"},
		{"0", "BYFLOAT -100 LBOUND -5.5 SATURATE", []any{"-5.5", "-5.5"}, "-5.5"},
		{"0", "BYFLOAT +inf", errIncrementInf, "0"},
		{"inf", "BYFLOAT 1", errValueInf, "inf"},
		{"", "BYFLOAT -0.5 UBOUND -1.5", []any{"0", "0"}, nil},
		{"50.5", "BYFLOAT 5.5 UBOUND 30", []any{"50.5", "0"}, "50.5"},
		{"50.5", "BYFLOAT 5.5 UBOUND 30 SATURATE", []any{"30", "-20.5"}, "30"},
		{"-50.5", "BYFLOAT -5.5 LBOUND -30 SATURATE", []any{"-30", "20.5"}, "-30"},
		{"50", "BYFLOAT -25 UBOUND 30", []any{"25", "-25"}, "25"},
		{"10", "BYFLOAT 1.0 UBOUND +inf LBOUND -inf", []any{"11", "1"}, "11"},
		{"10", "BYFLOAT 1.0 LBOUND inf UBOUND inf", []any{"10", "0"}, "10"},
		{"10", "BYFLOAT 1.0 LBOUND inf UBOUND inf SATURATE", errAppliedInfinite, "10"},
		{"10", "BYFLOAT 1.0 LBOUND -inf UBOUND -inf SATURATE", errAppliedInfinite, "10"},

		{"1", "FOO", commands.ErrSyntax, "1"},
		{"1", "BYINT", commands.ErrSyntax, "1"},
		{"1", "BYINT 1 FOO", commands.ErrSyntax, "1"},
		{"1", "BYINT 1 BYFLOAT 1.5", commands.ErrSyntax, "1"},
		{"1", "BYFLOAT 1.5 BYINT 1", commands.ErrSyntax, "1"},
		{"1", "EX 10 PX 5000", commands.ErrSyntax, "1"},
		{"1", "EX 10 EX 20", commands.ErrSyntax, "1"},
		{"1", "EX 10 PERSIST", commands.ErrSyntax, "1"},
		{"1", "PERSIST EX 10", commands.ErrSyntax, "1"},
		{"1", "PERSIST ENX", commands.ErrSyntax, "1"},
		{"1", "LBOUND 0 LBOUND 1", commands.ErrSyntax, "1"},
		{"1", "UBOUND 9 UBOUND 8", commands.ErrSyntax, "1"},
		{"1", "SATURATE SATURATE", commands.ErrSyntax, "1"},
		{"1", "ENX ENX EX 10", commands.ErrSyntax, "1"},
		{"1", "ENX", errEnxAlone, "1"},
		{"1", "BYINT abc", errIncrementInt, "1"},
		{"1", "BYINT 1.5", errIncrementInt, "1"},
		{"1", "BYFLOAT abc", errIncrementFloat, "1"},
		{"1", "LBOUND inf", errLowerNotInteger, "1"},
		{"1", "UBOUND 1.5", errUpperNotInteger, "1"},
		{"1", "BYFLOAT 1 LBOUND x", errLowerNotFloat, "1"},
		{"1", "BYFLOAT 1 UBOUND x", errUpperNotFloat, "1"},
		{"1", "LBOUND 10 UBOUND 5", errBoundsCross, "1"},
		{"1", "BYFLOAT 0.5 LBOUND 10.5 UBOUND 1.5", errBoundsCross, "1"},
		{"1", "EX 0", commands.InvalidExpire("increx"), "1"},
		{"1", "PX -1", commands.InvalidExpire("increx"), "1"},
		{"1", "EX x", commands.ErrNotInteger, "1"},
		{"hello", "BYFLOAT 1.5", commands.ErrNotFloat, "hello"},
		{"hello", "", commands.ErrNotInteger, "hello"},
		{"10", "EXAT 1", []any{11, 1}, nil},
		{"10", "PXAT 1", []any{11, 1}, nil},
	} {
		h := servertest.New(t)
		if c.old != "" {
			h.Want("SET k "+c.old, ok)
		}
		h.Want("INCREX k "+c.args, c.want)
		h.Want("GET k", c.value)
	}
}

// TestIncrexExpiry keeps, sets and removes an expiry. With ENX it sets an expiry only if there is
// no expiry.
func TestIncrexExpiry(t *testing.T) {
	h := servertest.New(t)
	h.Want("INCREX k EX 100", []any{1, 1})
	h.Want("TTL k", 100)
	h.Want("INCREX k", []any{2, 1})
	h.Want("TTL k", 100)
	h.Want("INCREX k EX 10 ENX", []any{3, 1})
	h.Want("TTL k", 100)
	h.Want("INCREX k EXAT 1 ENX", []any{4, 1})
	h.Want("TTL k", 100)
	h.Want("INCREX k PX 5000", []any{5, 1})
	h.Want("TTL k", 5)
	h.Want("INCREX k PERSIST", []any{6, 1})
	h.Want("TTL k", -1)
	h.Want("INCREX k BYINT 100 UBOUND 50 EX 100", []any{6, 0})
	h.Want("TTL k", -1)
	h.Want("INCREX k EX 100 ENX BYFLOAT 0.5", []any{"6.5", "0.5"})
	h.Want("TTL k", 100)
	h.Want("INCREX k BYINT 100 UBOUND 50 SATURATE EX 7", commands.ErrNotInteger)
	h.SortedSet("z", "m")
	h.Want("INCREX z", commands.ErrWrongType)
	h.Want("INCREX z BYFLOAT 1", commands.ErrWrongType)
	h.Do("HELLO 3")
	require.Equal(t, []any{1.5, 1.5}, h.Do("INCREX f BYFLOAT 1.5"))
}
