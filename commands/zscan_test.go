package commands

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZScan(t *testing.T) {
	h := newHarness(t)
	h.want("ZSCAN z 0", []any{"0", []any{}})
	h.want("ZSCAN z 0 FOO", []any{"0", []any{}})
	h.do("ZADD z 0.1 a 2 ab inf b")
	h.want("ZSCAN z 0", []any{"0", []string{"a", "0.10000000000000001", "ab", "2", "b", "inf"}})
	h.want("ZSCAN z 123 COUNT 1 MATCH a*", []any{"0", []string{"a", "0.10000000000000001", "ab", "2"}})
	h.want("ZSCAN z '' MATCH *", []any{"0", []string{"a", "0.10000000000000001", "ab", "2", "b", "inf"}})
	h.want("ZSCAN z -1 MATCH x", []any{"0", []any{}})
	h.do("ZADD big 123456789012345678 a 1e300 b")
	h.want("ZSCAN big 0", []any{"0", []string{"a", "123456789012345680", "b", "1.0000000000000001e+300"}})
	h.do("HELLO 3")
	h.want("ZSCAN z +0 MATCH b", []any{"0", []string{"b", "inf"}})
	h.do("ZADD whole -1e17 a")
	h.want("ZSCAN whole 0", []any{"0", []string{"a", "-100000000000000000"}})
	h.do("ZADD", "whole", 1, strings.Repeat("x", 65))
	h.want("ZSCAN whole 0 MATCH a", []any{"0", []string{"a", "-1e+17"}})
	h.do("INCR s")
	for args, err := range map[string]Error{
		"s x": errInvalidCursor, "s ' 0'": errInvalidCursor, "s 18446744073709551616": errInvalidCursor, "s 0x1": errInvalidCursor,
		"s -": errInvalidCursor, "s +-1": errInvalidCursor, "s 0 COUNT x": errWrongType, "z 0 COUNT x": errNotInteger,
		"z 0 COUNT 0": errSyntax, "z 0 MATCH": errSyntax, "z 0 TYPE zset": errSyntax,
	} {
		h.want("ZSCAN "+args, err)
	}
}

// A member that is there all the time is seen exactly once, though others come, go and
// change their scores.
func TestZScanWhileWriting(t *testing.T) {
	h := newHarness(t)
	for i := range 1000 {
		h.do(fmt.Sprintf("ZADD z %d stays%d", i, i))
	}
	for count := range 3 {
		seen, cursor, calls := map[any]int{}, any("0"), 0
		for {
			r := h.do("ZSCAN", "z", cursor, "COUNT", 5+count*40).([]any)
			for i, m := range r[1].([]any) {
				if i%2 == 0 {
					seen[m]++
				}
			}
			h.do(fmt.Sprintf("ZADD z %d new%d %d stays%d", -calls, calls, -calls, calls*7%1000))
			h.do(fmt.Sprintf("ZREM z new%d", calls-10))
			calls++
			if cursor = r[0]; cursor == "0" {
				break
			}
		}
		for i := range 1000 {
			require.Equal(t, 1, seen[fmt.Sprintf("stays%d", i)], i)
		}
		require.Greater(t, calls, 10)
	}
}
