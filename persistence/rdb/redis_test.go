package rdb

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cellserver/resp/resptest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// fill writes the contents to Redis.
func (all contents) fill(t *testing.T, redis *resptest.Client) {
	for p, c := range all {
		redis.Do("SELECT", p.db)
		switch {
		case c.kind == store.Hash:
			call := []any{"HSET", p.key}
			for _, part := range c.parts {
				call = append(call, part[0], part[1])
			}
			require.Equal(t, int64(len(c.parts)), redis.Do(call...))
		case c.kind == store.Set:
			call := []any{"SADD", p.key}
			for _, part := range c.parts {
				call = append(call, part[0])
			}
			require.Equal(t, int64(len(c.parts)), redis.Do(call...))
		case c.kind == store.List:
			call := []any{"RPUSH", p.key}
			for _, part := range c.parts {
				call = append(call, part[0])
			}
			require.Equal(t, int64(len(c.parts)), redis.Do(call...))
		case c.items == nil:
			require.Equal(t, resptest.Simple("OK"), redis.Do("SET", p.key, c.text))
		default:
			call := []any{"ZADD", p.key}
			for _, it := range c.sorted() {
				call = append(call, strconv.FormatFloat(it.Score, 'g', -1, 64), it.Member)
			}
			require.Equal(t, int64(len(c.items)), redis.Do(call...))
		}
		if c.expireAt != store.NoExpiry {
			require.Equal(t, int64(1), redis.Do("PEXPIREAT", p.key, c.expireAt))
		}
	}
}

// contentOf reads a key of the selected database from Redis.
func contentOf(t *testing.T, redis *resptest.Client, key string) content {
	c := content{expireAt: store.NoExpiry}
	if at := redis.Do("PEXPIRETIME", key).(int64); at >= 0 {
		c.expireAt = at
	}
	switch redis.Do("TYPE", key) {
	case resptest.Simple("string"):
		c.text = redis.Do("GET", key).(string)
		return c
	case resptest.Simple("set"):
		c.kind = store.Set
		for _, member := range redis.Do("SMEMBERS", key).([]any) {
			c.parts = append(c.parts, [2]string{member.(string)})
		}
		slices.SortFunc(c.parts, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
		return c
	case resptest.Simple("list"):
		c.kind = store.List
		for _, element := range redis.Do("LRANGE", key, 0, -1).([]any) {
			c.parts = append(c.parts, [2]string{element.(string)})
		}
		return c
	case resptest.Simple("hash"):
		c.kind = store.Hash
		for pair := range slices.Chunk(redis.Do("HGETALL", key).([]any), 2) {
			c.parts = append(c.parts, [2]string{pair[0].(string), pair[1].(string)})
		}
		slices.SortFunc(c.parts, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
		return c
	}
	c.items = map[string]uint64{}
	list := redis.Do("ZRANGE", key, 0, -1, "WITHSCORES").([]any)
	for i := 0; i < len(list); i += 2 {
		score, err := strconv.ParseFloat(list[i+1].(string), 64)
		require.NoError(t, err)
		c.items[list[i].(string)] = math.Float64bits(score)
	}
	return c
}

// contentsOfRedis reads all keys from Redis.
func contentsOfRedis(t *testing.T, redis *resptest.Client) contents {
	all := contents{}
	for db := range databases {
		redis.Do("SELECT", db)
		for _, key := range redis.Do("KEYS", "*").([]any) {
			all[place{db, key.(string)}] = contentOf(t, redis, key.(string))
		}
	}
	return all
}

// redisSettings make Redis write each of its encodings.
var redisSettings = []struct {
	name string
	args []string
}{
	{"default", nil},
	{"plain", []string{"--rdbcompression", "no", "--zset-max-listpack-entries", "0", "--hash-max-listpack-entries", "0"}},
	{"all listpack", []string{"--zset-max-listpack-entries", "1000", "--zset-max-listpack-value", "1000000",
		"--hash-max-listpack-entries", "1000", "--hash-max-listpack-value", "1000000"}},
	{"lists of many nodes", []string{"--list-max-listpack-size", "3", "--list-compress-depth", "1"}},
	{"no checksum", []string{"--rdbchecksum", "no"}},
}

func TestReadsWhatRedisWrites(t *testing.T) {
	r := newRand(t)
	for _, setting := range redisSettings {
		t.Run(setting.name, func(t *testing.T) {
			socket := resptest.StartRedis(t, setting.args...)
			redis := resptest.Dial(t, socket)
			randomContents(r, 300).fill(t, redis)
			require.Equal(t, resptest.Simple("OK"), redis.Do("SAVE"))
			p, err := os.ReadFile(filepath.Join(filepath.Dir(socket), "dump.rdb"))
			require.NoError(t, err)
			want := contentsOfRedis(t, redis)
			require.Greater(t, len(want), 200)
			require.Equal(t, unsigned(want), unsigned(loaded(t, p)))
		})
	}
}

// unsigned removes the sign of zero scores: large sets keep it, and each server has its own limit for large.
func unsigned(all contents) contents {
	for _, c := range all {
		for member, bits := range c.items {
			if bits == math.Float64bits(math.Copysign(0, -1)) {
				c.items[member] = 0
			}
		}
	}
	return all
}

func TestRedisReadsWhatWeWrite(t *testing.T) {
	s := randomContents(newRand(t), 600).store()
	want := contentsOf(s)
	dir := t.TempDir()
	path := filepath.Join(dir, "dump.rdb")
	require.NoError(t, os.WriteFile(path, file(t, s), 0o600))

	redis := resptest.Dial(t, resptest.StartRedis(t, "--dir", dir))
	require.Equal(t, unsigned(want), unsigned(contentsOfRedis(t, redis)))

	check, err := exec.LookPath("redis-check-rdb")
	if err != nil {
		t.Skip("redis-check-rdb is not installed: the check is skipped")
	}
	out, err := exec.Command(check, path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "RDB looks OK")
	require.Contains(t, string(out), strconv.Itoa(len(want))+" keys read")
}

func TestRedisRestoresOurPayloads(t *testing.T) {
	all := randomContents(newRand(t), 100)
	s := all.store()
	redis := resptest.Dial(t, resptest.StartRedis(t, "--sanitize-dump-payload", "yes"))
	for p, want := range contentsOf(s) {
		var payload []byte
		write(s, p.db, func(tx *store.Tx) {
			e := tx.Peek([]byte(p.key))
			payload = AppendPayload([]byte("before"), &e)[len("before"):]
		})
		require.Equal(t, resptest.Simple("OK"), redis.Do("RESTORE", "k", 0, payload, "REPLACE"))
		want.expireAt = store.NoExpiry
		require.Equal(t, unsigned(contents{{}: want}), unsigned(contents{{}: contentOf(t, redis, "k")}), "%q", p.key)

		again, err := DecodePayload([]byte(redis.Do("DUMP", "k").(string)))
		require.NoError(t, err)
		require.Equal(t, unsigned(contents{{}: want}), unsigned(contents{{}: contentOfValue(t, &again)}), "%q", p.key)
	}
}

// contentOfValue returns the content of a key that a value is put into.
func contentOfValue(t *testing.T, v *Value) content {
	s := contents{}.store()
	write(s, 0, func(tx *store.Tx) {
		e := tx.Write(nil)
		v.Put(&e, store.NoExpiry)
	})
	c, found := contentsOf(s)[place{}]
	require.True(t, found)
	return c
}
