package server_test

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/resp"
	"cellserver/server/servertest"
	"cellserver/store"
	"cellserver/store/value"

	"github.com/stretchr/testify/require"
)

// wide makes values of few members and many bytes: a hash, a set and a sorted set with a member of 4 MB each.
func wide(h *servertest.Harness) {
	long := strings.Repeat("x", 4<<20)
	h.Do("HSET", "hash", "a", "1", "b", long)
	h.Do("HSET", "field", long, "1")
	h.Do("SADD", "set", "a", long)
	h.Do("SADD", "one", long)
	h.Do("ZADD", "sorted", 1, "a", 2, long)
}

// TestLongRepliesAreOffloaded: a command that copies many bytes is offloaded, also if it copies few members. It changes
// nothing before that. HKEYS and scans count all bytes of the value.
func TestLongRepliesAreOffloaded(t *testing.T) {
	for line, long := range map[string]bool{
		"hgetall hash": true, "hvals hash": true, "hkeys hash": true, "hkeys field": true, "hget hash b": true, "hget hash a": false,
		"hmget hash a b": true, "hmget hash a a": false, "hrandfield hash 2": true, "hrandfield hash 2 withvalues": true,
		"hrandfield field": true, "hscan hash 0": true, "hscan hash 0 match a": true,
		"smembers set": true, "sscan set 0": true, "sscan set 0 match a": true, "srandmember one": true, "srandmember one -1": true,
		"srandmember set 2": true, "spop one": true, "spop set 2": true,
		"zrange sorted 0 -1": true, "zrange sorted 0 0": false, "zrevrange sorted 0 0": true, "zrandmember sorted 2": true,
		"zscan sorted 0": true, "zpopmin sorted": false, "zpopmax sorted": true, "zpopmax sorted 2": true,
	} {
		h := servertest.New(t)
		wide(h)
		before := h.Store.Used()
		h.Session.SetMayOffload(true)
		h.Send([]byte(line + "\r\n"))
		require.Equal(t, long, h.Status == resp.Offload, line)
		if long {
			require.Empty(t, h.Session.Output(), line)
			require.Equal(t, before, h.Store.Used(), line)
			h.Session.SetMayOffload(false)
			require.Equal(t, resp.Continue, settled(h), line)
			require.NotEmpty(t, h.Session.Output(), line)
		}
	}
}

// TestManyWordsAreOffloaded: a command that names many fields is offloaded if it must search or move a compact form for
// each of them, alone and in EXEC. So is every command of very many words.
func TestManyWordsAreOffloaded(t *testing.T) {
	words := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprint(&b, " f", i)
		}
		return b.String()
	}
	for _, line := range []string{"hmget hash", "hset hash", "hmset hash", "hdel hash", "sadd ints", "srem ints", "sadd texts", "smismember ints", "zmscore sorted", "zrem sorted"} {
		for n, long := range map[int]bool{100: false, 8000: true} {
			h := compact(t)
			h.Session.SetMayOffload(true)
			h.Send([]byte(line + words(n) + "\r\n"))
			require.Equal(t, long, h.Status == resp.Offload, "%s %d", line, n)
			h = compact(t)
			h.Session.SetMayOffload(true)
			h.Send([]byte("multi\r\n" + line + words(n) + "\r\nexec\r\n"))
			require.Equal(t, long, h.Status == resp.Offload, "exec %s %d", line, n)
		}
	}
	for _, line := range []string{"mset", "del", "unlink", "exists"} {
		h := servertest.New(t)
		h.Session.SetMayOffload(true)
		h.Send([]byte(line + words(9_000) + "\r\n"))
		require.Equal(t, resp.Continue, h.Status, line)
		h.Send([]byte(line + words(10_000) + "\r\n"))
		require.Equal(t, resp.Offload, h.Status, line)
	}
}

// compact returns a server with full compact forms: a hash and a set of integers with 512, and a set of texts and a sorted
// set with 128.
func compact(t *testing.T) *servertest.Harness {
	h := servertest.New(t)
	for i := range 512 {
		h.Do("HSET", "hash", fmt.Sprint("field", i), i)
		h.Do("SADD", "ints", i<<40)
		if i < 128 {
			h.Do("SADD", "texts", fmt.Sprint("text", i))
			h.Do("ZADD", "sorted", i, fmt.Sprintf("%060dx", i))
		}
	}
	return h
}

// TestSeeksByRankAreOffloaded: a random member of a compact sorted set is searched from its beginning.
func TestSeeksByRankAreOffloaded(t *testing.T) {
	for entries, long := range map[int]bool{value.MostEntries: true, 16: false} {
		h := servertest.New(t)
		h.Store.SetLimits(store.Limits{ZSetEntries: entries, ZSetValue: 64})
		for i := range value.MostEntries {
			h.Do("ZADD", "z", i, fmt.Sprint("m", i))
		}
		h.Session.SetMayOffload(true)
		h.Send([]byte("ZRANDMEMBER z -1500\r\n"))
		require.Equal(t, long, h.Status == resp.Offload, "%d entries", entries)
	}
}

// TestCompactFormsAreBounded: whatever the directives say, a compact form has a bounded number of entries.
func TestCompactFormsAreBounded(t *testing.T) {
	h := servertest.New(t)
	h.Store.SetLimits(store.Limits{ZSetEntries: 1 << 16, ZSetValue: 64, HashEntries: 1 << 16, HashValue: 64, SetIntEntries: 1 << 16})
	for _, c := range []struct{ add, key, compact, large string }{
		{"HSET h %d 1", "h", "listpack", "hashtable"}, {"SADD s %d", "s", "intset", "hashtable"}, {"ZADD z %d m%[1]d", "z", "listpack", "skiplist"},
	} {
		for i := range value.MostEntries {
			h.Do(fmt.Sprintf(c.add, i))
		}
		h.Want("OBJECT ENCODING "+c.key, c.compact)
		h.Do(fmt.Sprintf(c.add, value.MostEntries))
		h.Want("OBJECT ENCODING "+c.key, c.large)
	}
}
