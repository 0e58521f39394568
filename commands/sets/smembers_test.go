package sets

import (
	"fmt"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestSMembers(t *testing.T) {
	h := servertest.New(t)
	h.Want("SMEMBERS absent", []any{})
	h.Do("SADD s 10 -3 5")
	h.Want("SMEMBERS s", []string{"-3", "5", "10"})
	h.Do("SADD s x")
	require.ElementsMatch(t, []any{"-3", "5", "10", "x"}, h.Do("SMEMBERS s"))
	h.Do("HELLO 3")
	h.Do("SADD one a")
	h.Want("SMEMBERS one", resptest.Set{"a"})
	h.Want("SMEMBERS absent", resptest.Set{})
	h.Do("INCR n")
	h.Want("SMEMBERS n", commands.ErrWrongType)
}

func TestSScan(t *testing.T) {
	h := servertest.New(t)
	h.Want("SSCAN s 0", []any{"0", []any{}})
	h.Want("SSCAN s 0 FOO", []any{"0", []any{}})
	h.Do("SADD s 4 9 45")
	h.Want("SSCAN s 0", []any{"0", []string{"4", "9", "45"}})
	h.Want("SSCAN s 7 MATCH 4* COUNT 1", []any{"0", []string{"4", "45"}})
	h.Want("SSCAN s 0 MATCH x", []any{"0", []any{}})
}

// TestSScanWhileWriting: a scan returns every member that stays, while other members are added and removed. Each call
// returns only some.
func TestSScanWhileWriting(t *testing.T) {
	h := servertest.New(t)
	for i := range 1000 {
		h.Do(fmt.Sprintf("SADD s stays%d", i))
	}
	seen, cursor, calls := map[any]bool{}, any("0"), 0
	for calls == 0 || cursor != "0" {
		reply := h.Do("SSCAN", "s", cursor, "COUNT", 20).([]any)
		cursor = reply[0]
		require.LessOrEqual(t, len(reply[1].([]any)), 20+32)
		for _, member := range reply[1].([]any) {
			seen[member] = true
		}
		h.Do(fmt.Sprintf("SADD s new%d", calls))
		h.Do(fmt.Sprintf("SREM s new%d", calls-10))
		calls++
	}
	for i := range 1000 {
		require.True(t, seen[fmt.Sprintf("stays%d", i)], i)
	}
	require.Greater(t, calls, 15)
}

func TestSScanErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	h.Do("SADD s a")
	for args, err := range map[string]commands.Error{
		"n x": commands.ErrInvalidCursor, "s x": commands.ErrInvalidCursor, "absent x": commands.ErrInvalidCursor,
		"n 0": commands.ErrWrongType, "n 0 COUNT x": commands.ErrWrongType, "s 0 COUNT x": commands.ErrNotInteger,
		"s 0 COUNT 0": commands.ErrSyntax, "s 0 MATCH": commands.ErrSyntax, "s 0 FOO 1": commands.ErrSyntax,
	} {
		h.Want("SSCAN "+args, err)
	}
}
