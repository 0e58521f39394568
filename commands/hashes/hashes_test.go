package hashes

import (
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

func TestSetAndGet(t *testing.T) {
	h := servertest.New(t)
	h.Want("HSET h a 1 b 2 a 3", 2)
	h.Want("HGETALL h", []string{"a", "3", "b", "2"})
	h.Want("HMSET h c 007 b -5", servertest.OK)
	h.Want("HMGET h c x b", []any{"007", nil, "-5"})
	h.Want("HMGET absent a b", []any{nil, nil})
	h.Want("HGET h a", "3")
	h.Want("HGET h x", nil)
	h.Want("HGET absent a", nil)
	h.Want("HSETNX h a 9", 0)
	h.Want("HSETNX h d ''", 1)
	h.Want("HEXISTS h d", 1)
	h.Want("HEXISTS h x", 0)
	h.Want("HSTRLEN h c", 3)
	h.Want("HSTRLEN h d", 0)
	h.Want("HSTRLEN h b", 2)
	h.Want("HLEN h", 4)
	h.Want("HKEYS h", []string{"a", "b", "c", "d"})
	h.Want("HVALS h", []string{"3", "-5", "007", ""})
	h.Want("TYPE h", resptest.Simple("hash"))
	h.Want("OBJECT ENCODING h", "listpack")
	h.Want("HDEL h a x d", 2)
	h.Want("HDEL h b c", 2)
	h.Want("EXISTS h", 0)
	h.Want("HLEN h", 0)
	h.Want("HGETALL h", []any{})
	h.Do("HELLO 3")
	h.Do("HSET h a 1")
	require.Equal(t, resptest.Map{{Key: "a", Value: "1"}}, h.Do("HGETALL h"))
}

func TestErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	h.Do("HSET h text x big 9223372036854775807 inf inf")
	for line, err := range map[string]commands.Error{
		"HSET s a":                 "ERR wrong number of arguments for 'hset' command",
		"HSET s a 1 b":             "ERR wrong number of arguments for 'hset' command",
		"HMSET s a 1 b":            "ERR wrong number of arguments for 'hmset' command",
		"HSET s a 1":               commands.ErrWrongType,
		"HMSET s a 1":              commands.ErrWrongType,
		"HSETNX s a 1":             commands.ErrWrongType,
		"HGET s a":                 commands.ErrWrongType,
		"HMGET s a":                commands.ErrWrongType,
		"HGETALL s":                commands.ErrWrongType,
		"HDEL s a":                 commands.ErrWrongType,
		"HSCAN s 0":                commands.ErrWrongType,
		"HSCAN h x":                commands.ErrInvalidCursor,
		"HSCAN h 0 COUNT 0":        commands.ErrSyntax,
		"HINCRBY s a x":            commands.ErrNotInteger,
		"HINCRBY s a 1":            commands.ErrWrongType,
		"HINCRBY h text 1":         "ERR hash value is not an integer",
		"HINCRBY h big 1":          "ERR increment or decrement would overflow",
		"HINCRBYFLOAT s a x":       commands.ErrNotFloat,
		"HINCRBYFLOAT s a inf":     "ERR value is NaN or Infinity",
		"HINCRBYFLOAT s a 1":       commands.ErrWrongType,
		"HINCRBYFLOAT h text 1":    "ERR hash value is not a float",
		"HINCRBYFLOAT h inf 1":     "ERR increment would produce NaN or Infinity",
		"HRANDFIELD h x":           commands.ErrNotInteger,
		"HRANDFIELD h 1 x":         commands.ErrSyntax,
		"HRANDFIELD s":             commands.ErrWrongType,
		"HRANDFIELD h -9000000000": "ERR value is out of range, the reply would be too large",
	} {
		h.Want(line, err)
	}
	h.Want("GET s", "1")
	h.Want("SET h 1", servertest.OK)
}

func TestIncr(t *testing.T) {
	h := servertest.New(t)
	h.Want("HINCRBY h n 5", 5)
	h.Want("HINCRBY h n -7", -2)
	h.Want("HGET h n", "-2")
	h.Want("HINCRBYFLOAT h n 0.1", "-1.9")
	h.Want("HINCRBYFLOAT h m 3e2", "300")
	h.Want("HINCRBY h m 1", 301)
}

// A hash is compact up to the limits, keeps the order of its fields so long, and stays large after that.
func TestForms(t *testing.T) {
	h := servertest.New(t)
	h.Store.SetLimits(store.Limits{HashEntries: 3, HashValue: 5})
	h.Do("HSET h z 1 y 2 x 3")
	h.Do("HSET h y 4")
	h.Want("HGETALL h", []string{"z", "1", "y", "4", "x", "3"})
	h.Want("OBJECT ENCODING h", "listpack")
	h.Do("HSET h w 4")
	h.Want("OBJECT ENCODING h", "hashtable")
	h.Do("HDEL h w x y")
	h.Want("OBJECT ENCODING h", "hashtable")
	h.Want("HGETALL h", []string{"z", "1"})
	h.Do("HSET long f 123456")
	h.Want("OBJECT ENCODING long", "hashtable")
	h.Want("HGET long f", "123456")
	h.Do("HSET long " + strings.Repeat("f", 700) + " 1")
	h.Want("HGET long "+strings.Repeat("f", 700), "1")
}

func TestRandField(t *testing.T) {
	h := servertest.New(t)
	h.Want("HRANDFIELD h", nil)
	h.Want("HRANDFIELD h 5", []any{})
	h.Do("HSET h a 1 b 2")
	h.Want("HRANDFIELD h 5 WITHVALUES", []string{"a", "1", "b", "2"})
	h.Want("HRANDFIELD h 0", []any{})
	require.Len(t, h.Do("HRANDFIELD h -5"), 5)
	require.Len(t, h.Do("HRANDFIELD h 1"), 1)
	require.Contains(t, []any{"a", "b"}, h.Do("HRANDFIELD h"))
	h.Do("HELLO 3")
	h.Want("HRANDFIELD h 2 WITHVALUES", []any{[]any{"a", "1"}, []any{"b", "2"}})
}

func TestScan(t *testing.T) {
	h := servertest.New(t)
	h.Want("HSCAN h 0 FOO", []any{"0", []any{}})
	h.Do("HSET h a 1 ab 2 b 3")
	h.Want("HSCAN h 7 MATCH a* COUNT 1", []any{"0", []string{"a", "1", "ab", "2"}})
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
