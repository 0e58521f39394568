package hashes

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func TestHScan(t *testing.T) {
	h := servertest.New(t)
	h.Want("HSCAN h 0", []any{"0", []any{}})
	h.Want("HSCAN h 0 FOO", []any{"0", []any{}})
	h.Do("HSET h a 1 ab 2 b 3")
	h.Want("HSCAN h 0", []any{"0", []string{"a", "1", "ab", "2", "b", "3"}})
	h.Want("HSCAN h 7 MATCH a* COUNT 1", []any{"0", []string{"a", "1", "ab", "2"}})
	h.Want("HSCAN h 0 MATCH x", []any{"0", []any{}})
}

// TestHScanOfALargeHash: the calls of a scan return every field of a large hash, and each call only some.
func TestHScanOfALargeHash(t *testing.T) {
	h := servertest.New(t)
	h.Store.SetLimits(store.Limits{})
	want := map[any]any{}
	for i := range 1000 {
		h.Do("HSET", "big", i, i*i)
		want[h.Do("ECHO", i)] = h.Do("ECHO", i*i)
	}
	got, cursor, calls := map[any]any{}, any("0"), 0
	for calls == 0 || cursor != "0" {
		reply := h.Do("HSCAN", "big", cursor, "COUNT", 20).([]any)
		cursor = reply[0]
		pairs := reply[1].([]any)
		require.LessOrEqual(t, len(pairs), 2*(20+32))
		for i := 0; i < len(pairs); i += 2 {
			got[pairs[i]] = pairs[i+1]
		}
		calls++
	}
	require.Equal(t, want, got)
	require.Greater(t, calls, 15)
}

func TestHScanErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	h.Do("HSET h a 1")
	for args, err := range map[string]commands.Error{
		"s x": commands.ErrInvalidCursor, "h x": commands.ErrInvalidCursor, "absent x": commands.ErrInvalidCursor,
		"h 18446744073709551616": commands.ErrInvalidCursor, "s 0": commands.ErrWrongType, "s 0 COUNT x": commands.ErrWrongType,
		"h 0 COUNT x": commands.ErrNotInteger, "h 0 COUNT 0": commands.ErrSyntax, "h 0 MATCH": commands.ErrSyntax,
		"h 0 NOVALUES": commands.ErrSyntax,
	} {
		h.Want("HSCAN "+args, err)
	}
}
