package differential

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// watchSetup makes the keys that each of watchSteps finds.
const watchSetup = `
FLUSHDB
RPUSH l a b c
RPUSH one x
SADD s a b
SADD i 1 2
HSET h f 1 g x
ZADD z 1 a 2 b
SET str abc
SET n 5
SET e 5 EX 100
`

// watchSteps are commands that change little or nothing. Each of them must make EXEC of a watcher fail exactly if it does so
// in Redis.
const watchSteps = `
LTRIM l 0 -1
LTRIM l -3 5
LTRIM l 1 1
LTRIM l 5 6
LSET l 0 a
LREM l 0 zz
LINSERT l BEFORE zz y
LMOVE one one LEFT RIGHT
LMOVE l l LEFT LEFT
RPOPLPUSH one one
LPOP l 0
LPUSHX none a
LMPOP 1 none LEFT
SADD s a
SREM s zz
SMOVE s s a
SMOVE s i zz
SMOVE i s 1
SPOP s 0
SINTERSTORE s s s
SDIFFSTORE none s s
SUNIONSTORE s s
HSET h f 1
HSETNX h f 2
HMSET h f 1
HINCRBY h f 0
HINCRBYFLOAT h f 0
HDEL h zz
ZADD z 1 a
ZADD z XX 1 a
ZADD z NX 5 a
ZADD z GT 0 a
ZADD z CH 1 a 2 b
ZADD z INCR 0 a
ZINCRBY z 0 a
ZREM z zz
ZREMRANGEBYRANK z 5 6
ZREMRANGEBYSCORE z 5 6
ZREMRANGEBYLEX z [x [y
ZPOPMIN z 0
ZRANGESTORE z z 0 -1
ZRANGESTORE none none 0 -1
ZUNIONSTORE z 1 z
ZDIFFSTORE none 1 none
ZMPOP 1 none MIN
SET str abc
SET str abc GET
SET str q NX
SET none q XX
SETNX str x
GETSET str abc
APPEND str ""
SETRANGE str 0 ""
SETRANGE str 0 a
SETRANGE none 0 ""
INCRBY n 0
DECRBY n 0
INCRBYFLOAT n 0
MSET n 5
MSETNX n 5 q 6
PERSIST e
PERSIST n
EXPIRE e 100
EXPIRE e 100 NX
EXPIRE n 100 XX
EXPIRE n -1
GETEX e
GETEX e PERSIST
GETEX n PERSIST
GETEX e EX 100
GETDEL none
RENAME n n
RENAME n str
RENAMENX n str
COPY n none
COPY n str
COPY n str REPLACE
DEL none
UNLINK none
TOUCH n
FLUSHDB
MOVE none 1
MOVE n 1
SWAPDB 0 0
SWAPDB 0 1
SWAPDB 1 2
`

// TestWatchersOfLittleChanges watches each key that a command names, and the key str. It compares the replies of EXEC after
// the command.
func TestWatchersOfLittleChanges(t *testing.T) {
	s := newSession(t, true)
	require.NoError(t, s.begin(2))
	keys := map[string]bool{"none": true}
	for line := range strings.Lines(strings.TrimSpace(watchSetup)) {
		if words := strings.Fields(line); len(words) > 1 {
			keys[words[1]] = true
		}
	}
	pairs := 0
	for line := range strings.Lines(strings.TrimSpace(watchSteps)) {
		for _, key := range append(strings.Fields(line), "str") {
			if !keys[key] {
				continue
			}
			pairs++
			for setup := range strings.Lines(strings.TrimSpace(watchSetup)) {
				require.Nil(t, s.try(step{args: strings.Fields(setup)}))
			}
			require.Nil(t, s.try(step{conn: 1, args: []string{"WATCH", key}}))
			require.Nil(t, s.try(step{args: strings.Fields(strings.ReplaceAll(line, `""`, "\x00"))}), line)
			for _, end := range []string{"MULTI", "PING", "EXEC"} {
				require.Nil(t, s.try(step{conn: 1, args: []string{end}}), "WATCH %s, then %s", key, line)
			}
		}
	}
	require.Greater(t, pairs, 150)
}
