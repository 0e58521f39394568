package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestZScan(t *testing.T) {
	h := servertest.New(t)
	h.Want("ZSCAN z 0", []any{"0", []any{}})
	h.Want("ZSCAN z 0 FOO", []any{"0", []any{}})
	h.Do("ZADD z 0.1 a 2 ab inf b")
	h.Want("ZSCAN z 0", []any{"0", []string{"a", "0.10000000000000001", "ab", "2", "b", "inf"}})
	h.Want("ZSCAN z 123 COUNT 1 MATCH a*", []any{"0", []string{"a", "0.10000000000000001", "ab", "2"}})
	h.Want("ZSCAN z '' MATCH *", []any{"0", []string{"a", "0.10000000000000001", "ab", "2", "b", "inf"}})
	h.Want("ZSCAN z -1 MATCH x", []any{"0", []any{}})
	h.Do("ZADD big 123456789012345678 a 1e300 b")
	h.Want("ZSCAN big 0", []any{"0", []string{"a", "123456789012345680", "b", "1.0000000000000001e+300"}})
	h.Do("HELLO 3")
	h.Want("ZSCAN z +0 MATCH b", []any{"0", []string{"b", "inf"}})
	h.Do("ZADD whole -1e17 a")
	h.Want("ZSCAN whole 0", []any{"0", []string{"a", "-100000000000000000"}})
	h.Do("ZADD", "whole", 1, strings.Repeat("x", 65))
	h.Want("ZSCAN whole 0 MATCH a", []any{"0", []string{"a", "-1e+17"}})
	h.Do("INCR s")
	for args, err := range map[string]commands.Error{
		"s x": commands.ErrInvalidCursor, "s ' 0'": commands.ErrInvalidCursor, "s 18446744073709551616": commands.ErrInvalidCursor, "s 0x1": commands.ErrInvalidCursor,
		"s -": commands.ErrInvalidCursor, "s +-1": commands.ErrInvalidCursor, "s 0 COUNT x": commands.ErrWrongType, "z 0 COUNT x": commands.ErrNotInteger,
		"z 0 COUNT 0": commands.ErrSyntax, "z 0 MATCH": commands.ErrSyntax, "z 0 TYPE zset": commands.ErrSyntax,
	} {
		h.Want("ZSCAN "+args, err)
	}
}

// TestZScanWhileWriting: a scan returns a member that stays exactly once, while other members are
// added and removed and scores change.
func TestZScanWhileWriting(t *testing.T) {
	h := servertest.New(t)
	for i := range 1000 {
		h.Do(fmt.Sprintf("ZADD z %d stays%d", i, i))
	}
	for count := range 3 {
		seen, cursor, calls := map[any]int{}, any("0"), 0
		for {
			r := h.Do("ZSCAN", "z", cursor, "COUNT", 5+count*40).([]any)
			for i, m := range r[1].([]any) {
				if i%2 == 0 {
					seen[m]++
				}
			}
			h.Do(fmt.Sprintf("ZADD z %d new%d %d stays%d", -calls, calls, -calls, calls*7%1000))
			h.Do(fmt.Sprintf("ZREM z new%d", calls-10))
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
