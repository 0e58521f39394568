package aof

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cellserver/persistence/fs"
	"cellserver/resp/resptest"
	"cellserver/store"
	"cellserver/store/hash"
	"cellserver/store/list"
	sets "cellserver/store/set"

	"github.com/stretchr/testify/require"
)

// TestRedisReadsOurLog requires that redis-check-aof accepts a log, and that redis-server loads
// the same keys.
func TestRedisReadsOurLog(t *testing.T) {
	r, top := seeded(t), t.TempDir()
	l := startIn(t, top)
	for range 2000 {
		write(l.store, now, func(tx *store.Tx) {
			for range 1 + r.IntN(3) {
				randomWrite(r, tx)
			}
			if r.IntN(4) == 0 {
				randomOwnWrite(r, tx)
			}
		})
		if r.IntN(3) == 0 {
			l.commit()
		}
	}
	// Redis has the real clock: no key may expire.
	write(l.store, now, func(tx *store.Tx) {
		for db := range l.store.Databases() {
			tx.Select(db)
			var keys [][]byte
			tx.Each(func(e *store.Entry) { keys = append(keys, slices.Clone(e.Key())) })
			for _, key := range keys {
				e := tx.Write(key)
				e.SetExpiry(4e12)
			}
		}
	})
	l.journal.Stop()
	check, err := exec.LookPath("redis-check-aof")
	if err != nil {
		t.Skip("redis-check-aof is not installed")
	}
	out, err := exec.Command(check, filepath.Join(top, "appendonlydir", "appendonly.aof.manifest")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	redis := resptest.Dial(t, resptest.StartRedis(t, "--dir", top, "--appendonly", "yes", "--databases", "3"))
	all := contents(l.store)
	ours := len(all)
	maps.DeleteFunc(all, func(key, _ string) bool { return strings.HasPrefix(key, fmt.Sprint(store.Own, " ")) })
	require.Less(t, len(all), ours)
	requireSame(t, all, contentsOfRedis(redis))
}

// TestWeReadTheLogOfRedis loads logs of Redis, with both kinds of base.
func TestWeReadTheLogOfRedis(t *testing.T) {
	for _, preamble := range []string{"yes", "no"} {
		top := t.TempDir()
		redis := resptest.Dial(t, resptest.StartRedis(t, "--dir", top, "--appendonly", "yes", "--databases", "3",
			"--aof-use-rdb-preamble", preamble, "--aof-timestamp-enabled", "yes"))
		for i := range 300 {
			redis.Do("SELECT", i%3)
			redis.Do("SET", fmt.Sprint("s", i), i, "EX", 1000+i)
			redis.Do("ZADD", fmt.Sprint("z", i%50), i, fmt.Sprint("m", i), "-inf", "least")
		}
		redis.Do("BGREWRITEAOF")
		for _, call := range [][]any{
			{"SELECT", 1}, {"INCR", "n"}, {"INCRBYFLOAT", "f", "1.25"}, {"APPEND", "s1", "more"}, {"GETEX", "s4", "PERSIST"}, {"EXPIRE", "s7", 5000},
			{"GETDEL", "s10"}, {"SETRANGE", "s13", 5, "x"}, {"MSET", "a", 1, "b", 2}, {"COPY", "a", "c", "DB", 2}, {"RENAME", "b", "d"},
			{"MULTI"}, {"SET", "t", 1}, {"ZINCRBY", "z1", 2.5, "least2"}, {"ZPOPMIN", "z1"}, {"EXEC"}, {"ZUNIONSTORE", "u", 2, "z1", "z4"},
			{"ZREMRANGEBYSCORE", "z4", 0, 100}, {"MOVE", "s16", 2}, {"SETNX", "nx", 1}, {"PSETEX", "px", 100000, 1}, {"SWAPDB", 0, 2}, {"UNLINK", "s19", "s22"},
			{"RPUSH", "l", "a", "b", "a", "c", "d", "e"}, {"LPOP", "l"}, {"RPOP", "l", 2}, {"LSET", "l", -1, "x"}, {"LINSERT", "l", "before", "a", "y"}, {"LREM", "l", -1, "b"},
			{"LPUSHX", "l", 5}, {"LTRIM", "l", -4, -2}, {"LMOVE", "l", "m", "LEFT", "RIGHT"}, {"RPOPLPUSH", "l", "m"}, {"LMPOP", 2, "none", "m", "LEFT"},
			{"RPUSH", "gone", 1, 2}, {"LTRIM", "gone", 1, 0}, {"DEL", "none"}, {"RPUSH", "whole", 1, 2}, {"LTRIM", "whole", 0, -1}, {"RPUSH", "whole", 3},
		} {
			_, failed := redis.Do(call...).(resptest.Error)
			require.False(t, failed, "%v", call)
		}
		want := contentsOfRedis(redis)
		dir, err := Open(fs.OS{}, top, "appendonlydir", "appendonly.aof")
		require.NoError(t, err)
		s := newStore()
		_, err = dir.Load(s, LoadOptions{Now: now, Replayer: replayer(s)})
		require.NoError(t, err)
		requireSame(t, want, contents(s))
	}
}

// startIn begins a log in a directory of the disk.
func startIn(t *testing.T, top string) *log {
	dir, err := Open(fs.OS{}, top, "appendonlydir", "appendonly.aof")
	require.NoError(t, err)
	require.NoError(t, dir.Create())
	l := &log{t: t, dir: dir, store: newStore()}
	l.journal = NewJournal(Never, func(err error) { t.Error(err) })
	l.store.Observe(l.journal)
	f, err := dir.NewFile()
	require.NoError(t, err)
	require.NoError(t, dir.Append(f))
	l.journal.Switch(f)
	return l
}

// contentsOfRedis returns everything in Redis, in the form of contents.
func contentsOfRedis(redis *resptest.Client) map[string]string {
	all := map[string]string{}
	for db := range 3 {
		redis.Do("SELECT", db)
		for _, k := range redis.Do("KEYS", "*").([]any) {
			key := k.(string)
			s := newStore()
			write(s, now, func(tx *store.Tx) {
				e := tx.Write([]byte(key))
				switch redis.Do("TYPE", key) {
				case resptest.Simple("string"):
					e.SetBytes([]byte(redis.Do("GET", key).(string)), store.NoExpiry)
				case resptest.Simple("set"):
					for _, member := range redis.Do("SMEMBERS", key).([]any) {
						e.Change(sets.Add, store.Operands{Value: []byte(member.(string))})
					}
				case resptest.Simple("list"):
					for _, element := range redis.Do("LRANGE", key, 0, -1).([]any) {
						e.Change(list.PushLast, store.Operands{Value: []byte(element.(string))})
					}
				case resptest.Simple("hash"):
					for pair := range slices.Chunk(redis.Do("HGETALL", key).([]any), 2) {
						e.Change(hash.Set, store.Operands{Value: []byte(pair[0].(string)), More: []byte(pair[1].(string))})
					}
				default:
					items := redis.Do("ZRANGE", key, 0, -1, "WITHSCORES").([]any)
					for pair := range slices.Chunk(items, 2) {
						score, _ := strconv.ParseFloat(pair[1].(string), 64)
						e.ZAdd(score, []byte(pair[0].(string)))
					}
				}
				if at := redis.Do("PEXPIRETIME", key).(int64); at >= 0 {
					e.SetExpiry(at)
				}
			})
			for _, text := range slices.Collect(maps.Values(contents(s))) {
				all[fmt.Sprint(db, " ", key)] = text
			}
		}
	}
	return all
}
