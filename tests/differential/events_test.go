package differential

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// eventSteps are commands whose keyspace events must be those of Redis. A line that begins with + lets time pass.
const eventSteps = `
SET s 1
SET s 2 EX 100
SET s 2 KEEPTTL
SET s 3 NX
SET s 3 XX GET
SETNX n 1
SETNX n 1
SETEX e 100 v
PSETEX e 100000 v
GETSET s 4
MSET a 1 b 2 a 3
MSETNX a 1 zz 2
MSETNX m1 1 m2 2
INCR i
DECR i
INCRBY i 5
DECRBY i 5
INCR e
INCRBYFLOAT f 1.5
APPEND s xyz
APPEND new xyz
APPEND new ""
SETRANGE s 3 abc
SETRANGE s 3 ""
SETRANGE none 3 ""
GETEX s EX 100
GETEX s PERSIST
GETEX s PERSIST
GETEX s
GETEX s EXAT 1
GETEX s EX 1
GETDEL a
GETDEL a
EXPIRE b 100
EXPIRE b 100 NX
PERSIST b
PERSIST b
PEXPIREAT b 1
EXPIRE b 100
SET r 1 PX 100000
RENAME r r2
RENAME r2 r2
RENAME r r2
RENAMENX r2 n
RENAMENX r2 r3
MOVE r3 3
MOVE r3 3
COPY n n2
COPY n n2
COPY n n2 REPLACE
COPY n n2 DB 3
DEL n n2 nothing n
UNLINK m1 m2
ZADD z 1 a 2 b 3 c
ZADD z 1 a
ZADD z CH 5 a
ZADD z INCR 1 a
ZADD z NX INCR 1 a
ZADD z INCR 0 a
ZADD z XX 1 nothing
ZINCRBY z 2 a
ZINCRBY z2 2 a
ZREM z nothing
ZREM z a b
ZREM z c
ZADD z 1 a 2 b 3 c 4 d 5 e 6 f
ZREMRANGEBYRANK z 0 0
ZREMRANGEBYSCORE z 2 2
ZREMRANGEBYSCORE z 100 200
ZPOPMIN z
ZPOPMAX z
ZPOPMIN z 0
ZPOPMIN nothing
ZMPOP 2 nothing z MIN
ZPOPMAX z 10
ZADD l 0 a 0 b 0 c
ZREMRANGEBYLEX l [a [b
ZREMRANGEBYLEX l - +
ZADD x 1 a 2 b
ZADD y 2 b 3 c
ZUNIONSTORE u 2 x y
ZINTERSTORE u 2 x y
ZDIFFSTORE u 2 x y
ZDIFFSTORE u 2 x x
ZDIFFSTORE u 2 x x
ZRANGESTORE v x 0 -1
ZRANGESTORE v x 5 9
ZRANGESTORE v nothing 0 -1
HSET h a 1 b 2
HSET h a 1
HMSET h a 1 c 2
HSETNX h a 1
HSETNX h d 1
HINCRBY h n 5
HINCRBYFLOAT h n 0.5
HDEL h nothing
HDEL h a b c
HDEL h d n
HDEL h d
HSET h
HINCRBY h n x
SADD ea a b c
SADD ea a
SREM ea nothing
SREM ea a
SMOVE ea eb b
SMOVE ea eb b
SMOVE ea ea c
SMOVE ea eb c
SADD ea a 1
SUNIONSTORE ec ea eb
SINTERSTORE ec ea eb
SDIFFSTORE ec ea eb
SDIFFSTORE ec ea ea
SPOP ea 100
SPOP eb 0
SPOP nothing
SPOP eb 2
RPUSH la a b c
LPUSH la x y
LPUSHX nothing a
RPUSHX la d
LSET la 0 z
LSET la 9 z
LINSERT la BEFORE b q
LINSERT la AFTER nothing q
LREM la 0 nothing
LREM la 1 z
LTRIM la 0 -1
LTRIM la 1 -1
LPOP la
RPOP la 1
LPOP la 0
LPOP nothing
LMOVE la lb LEFT RIGHT
LMOVE la la LEFT RIGHT
LMOVE la la LEFT LEFT
RPOPLPUSH lb lb
RPOPLPUSH lb la
LMPOP 2 nothing la LEFT COUNT 1
LMPOP 1 la RIGHT COUNT 9
RPUSH la a
LTRIM la 1 0
RPUSH la a a
LREM la 0 a
LPUSH la
MULTI
SET t 1
SELECT 5
SET t 2
INCR nothing
SELECT 0
DEL t
EXEC
SET p 1 PX 50
SET q 1 PX 50
+100ms
GET p
SET q 2
SET p 1 EXAT 1
GET p
LPUSHNOT x
SET s
ZADD s 1 a
SET s 1
ZADD s 1 a
FLUSHALL
`

// listener receives the keyspace events of a server.
type listener struct {
	p *peer
	w *wire
	n int
}

func listen(t *testing.T, p *peer) *listener {
	w, err := dial(p.addr)
	require.NoError(t, err)
	t.Cleanup(func() { w.conn.Close() })
	for _, command := range []string{"PSUBSCRIBE __key*__:*", "SUBSCRIBE sync"} {
		_, err := w.do(strings.Fields(command)...)
		require.NoError(t, err)
	}
	_, err = p.admin.do("CONFIG", "SET", "notify-keyspace-events", "KEA")
	require.NoError(t, err)
	return &listener{p: p, w: w}
}

// events returns the events since the last call: channels with their messages.
func (l *listener) events(t require.TestingT) (all []string) {
	l.n++
	_, err := l.p.admin.do("PUBLISH", "sync", fmt.Sprint(l.n))
	require.NoError(t, err)
	for {
		r, err := l.w.receive()
		require.NoError(t, err)
		if r.elems[0].text == "message" {
			require.Equal(t, fmt.Sprint(l.n), r.elems[2].text)
			return all
		}
		all = append(all, r.elems[2].text+" "+r.elems[3].text)
	}
}

// stopActiveExpire leaves expired keys to the commands: the events of a background removal come at any time.
func stopActiveExpire(t *testing.T, s *session) {
	for _, p := range []*peer{s.redis, s.ours} {
		_, err := p.admin.do("DEBUG", "SET-ACTIVE-EXPIRE", "0")
		require.NoError(t, err)
	}
}

// TestKeyspaceEvents compares the events of each command, in their order.
func TestKeyspaceEvents(t *testing.T) {
	s := newSession(t, true)
	require.NoError(t, s.begin(2))
	stopActiveExpire(t, s)
	redis, ours := listen(t, s.redis), listen(t, s.ours)
	seen := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(eventSteps)) {
		st := step{args: strings.Fields(strings.ReplaceAll(line, `""`, "\x00"))}
		for i, arg := range st.args {
			st.args[i] = strings.ReplaceAll(arg, "\x00", "")
		}
		if pause, ok := strings.CutPrefix(strings.TrimSpace(line), "+"); ok {
			var err error
			st.args = nil
			st.advance, err = time.ParseDuration(pause)
			require.NoError(t, err)
		}
		require.Nil(t, s.try(st), line)
		want := redis.events(t)
		require.Equal(t, want, ours.events(t), line)
		for _, event := range want {
			if _, name, ok := strings.Cut(event, "__keyevent@"); ok {
				seen[strings.Fields(name[strings.IndexByte(name, ':')+1:])[0]] = true
			}
		}
	}
	for _, event := range []string{"set", "expire", "incrby", "incrbyfloat", "append", "setrange", "persist", "del", "rename_from",
		"rename_to", "move_from", "move_to", "copy_to", "zadd", "zincr", "zrem", "zremrangebyrank", "zremrangebyscore", "zremrangebylex",
		"zpopmin", "zpopmax", "zunionstore", "zinterstore", "zdiffstore", "zrangestore", "expired",
		"sadd", "srem", "spop", "sunionstore", "sdiffstore", "hset", "hincrby", "hincrbyfloat", "hdel"} {
		require.True(t, seen[event], "no command of the list has the event %s", event)
	}
	for _, letters := range []string{"", "K", "A", "Kg", "E$", "KEz", "Ex", "Kge"} {
		for _, p := range []*peer{s.redis, s.ours} {
			_, err := p.admin.do("CONFIG", "SET", "notify-keyspace-events", letters)
			require.NoError(t, err)
		}
		for _, line := range []string{"SET a 1 EX 10", "ZADD b 1 x", "DEL a b"} {
			require.Nil(t, s.try(step{args: strings.Fields(line)}), line)
		}
		require.Equal(t, redis.events(t), ours.events(t), letters)
	}
}

// TestKeyspaceEventsOfRandomCommands compares the events of random commands. It leaves out expired: a command of Redis
// may overwrite an expired key without this event.
func TestKeyspaceEventsOfRandomCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped in short mode: the list of commands is compared anyway")
	}
	s := newSession(t, true)
	stopActiveExpire(t, s)
	seed := seed(t)
	t.Logf("SEED=%d", seed)
	end := time.Now().Add(min(duration(t), 5*time.Second))
	compared := 0
	for ; time.Now().Before(end); seed++ {
		require.NoError(t, s.begin(2))
		redis, ours := listen(t, s.redis), listen(t, s.ours)
		g, gone := newGenerator(rand.New(rand.NewPCG(seed, 1)), s), expiredKeys{}
		for range 200 {
			for _, st := range g.next() {
				if len(st.args) > 0 && (strings.EqualFold(st.args[0], "CONFIG") || strings.EqualFold(st.args[0], "RESET")) {
					continue
				}
				require.Nil(t, s.try(st))
				got := ours.events(t)
				gone.note(got)
				want := withoutExpired(gone.without(redis.events(t)))
				require.Equal(t, want, withoutExpired(got), "SEED=%d %q", seed, st.args)
				compared += len(want)
			}
		}
	}
	require.Greater(t, compared, 100)
	t.Logf("%d events compared", compared)
}

// expiredKeys are the keys that expired in ours and were not written again.
type expiredKeys map[string]bool

// note follows the events of ours.
func (gone expiredKeys) note(ours []string) {
	for _, event := range ours {
		if key, name := keyOf(event); key != "" {
			gone[key] = name == "expired"
		}
	}
}

// without removes each del of such a key from Redis's events. If a command such as ZUNIONSTORE stores nothing, Redis
// deletes the destination without a look at its expiry.
func (gone expiredKeys) without(redis []string) []string {
	expired := func(event string) bool {
		key, name := keyOf(event)
		if key == "" {
			key, name = keyOfNamed(event)
		}
		return name == "del" && gone[key]
	}
	return slices.DeleteFunc(slices.Clone(redis), expired)
}

// keyOf returns the key of a keyspace event, with its database, and the name of the event. Other events have no key.
func keyOf(event string) (key, name string) {
	rest, ok := strings.CutPrefix(event, "__keyspace@")
	if !ok {
		return "", ""
	}
	i := strings.LastIndexByte(rest, ' ')
	return strings.Replace(rest[:i], "__:", " ", 1), rest[i+1:]
}

// keyOfNamed is keyOf for a keyevent.
func keyOfNamed(event string) (key, name string) {
	db, rest, _ := strings.Cut(strings.TrimPrefix(event, "__keyevent@"), "__:")
	name, key, _ = strings.Cut(rest, " ")
	return db + " " + key, name
}

func withoutExpired(events []string) (others []string) {
	for _, event := range events {
		if !strings.HasSuffix(event, " expired") && !strings.Contains(event, ":expired ") {
			others = append(others, event)
		}
	}
	return others
}
