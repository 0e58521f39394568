package all_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// aclCalls are calls for ACL DRYRUN. K stands for a key, C for a channel.
var aclCalls = strings.Split(`GET K;SET K v;SET K v GET;SET K v EX 5;GETDEL K;GETEX K;GETSET K v;APPEND K v;STRLEN K;MGET K K K;MSET K v K v;MSETNX K v
INCR K;INCRBY K 2;GETRANGE K 0 1;SETRANGE K 0 x;LCS K K;DEL K K;UNLINK K;EXISTS K K;TOUCH K;TYPE K;EXPIRE K 5;TTL K;PERSIST K;COPY K K;RENAME K K
RENAMENX K K;MOVE K 1;DUMP K;RESTORE K 0 x;OBJECT ENCODING K;OBJECT FREQ K;MEMORY USAGE K;HSET K f v;HGET K f;HGETALL K;HDEL K f;HINCRBY K f 1
HRANDFIELD K;SADD K m;SREM K m;SMEMBERS K;SMOVE K K m;SINTER K K;SINTERSTORE K K K;SINTERCARD 2 K K;SPOP K;SDIFFSTORE K K;ZADD K 1 m;ZRANGE K 0 1
ZRANGESTORE K K 0 1;ZUNIONSTORE K 2 K K;ZUNION 2 K K;ZINTERCARD 1 K;ZPOPMIN K;ZMPOP 2 K K MIN;BZPOPMIN K K 1;BZPOPMAX K K 1;BZMPOP 1 2 K K MIN;BLPOP K K 1;BRPOP K K 1;BLMOVE K K LEFT RIGHT 1;BRPOPLPUSH K K 1;BLMPOP 1 2 K K LEFT;ZSCORE K m;ZDIFFSTORE K 1 K;EVAL x 2 K K a
EVAL_RO x 1 K;EVALSHA x 0;PUBLISH C m;SUBSCRIBE C C;PSUBSCRIBE C C;UNSUBSCRIBE C;PUNSUBSCRIBE C;WATCH K K;UNWATCH;MULTI;EXEC;PING;SELECT 0
SELECT 1;ECHO x;KEYS *;SCAN 0;DBSIZE;FLUSHALL;SWAPDB 0 1;CONFIG GET x;CONFIG SET a b;CLIENT ID;CLIENT LIST;CLIENT KILL x;ACL WHOAMI;ACL LIST;AUTH x
HELLO;QUIT;RESET;COMMAND COUNT;INFO;SAVE;DEBUG SLEEP 0;SCRIPT LOAD x;WAIT 0 0;SLOWLOG GET;MONITOR;SHUTDOWN;XYZ`, ";")

// aclWords makes random words for ACL SETUSER.
type aclWords struct {
	rng      *rand.Rand
	commands []string // of redis-server
}

func (w *aclWords) of(all ...string) string { return all[w.rng.IntN(len(all))] }

func (w *aclWords) pattern() string { return w.of("a*", "b*", "?b", "a", "[ab]c", "*", "x") }

func (w *aclWords) command() string {
	switch w.rng.IntN(8) {
	case 0:
		return w.of("select|0", "select|1", "get|ab", "nosuch", "client|nosuch", "config|get|x", "debug|sleep")
	case 1, 2, 3:
		return "@" + w.of("all", "all", "read", "write", "string", "hash", "set", "sortedset", "list", "keyspace", "admin", "fast", "slow",
			"dangerous", "connection", "transaction", "scripting", "pubsub", "nosuch", "STREAM")
	}
	return w.of(w.commands...)
}

// rule returns a word that may stand in a selector, too.
func (w *aclWords) rule() string {
	switch w.rng.IntN(12) {
	case 0:
		return w.of("allkeys", "resetkeys", "allchannels", "resetchannels", "allcommands", "nocommands", "NOCOMMANDS")
	case 1, 2:
		return "~" + w.pattern()
	case 3, 4:
		return w.of("%R~", "%W~", "%RW~", "%r~", "%wr~") + w.pattern()
	case 5:
		return "&" + w.pattern()
	case 6, 7:
		return "-" + w.command()
	}
	return "+" + w.command()
}

func (w *aclWords) word() string {
	switch w.rng.IntN(14) {
	case 0:
		return w.of("on", "off", "nopass", "resetpass", "reset", "clearselectors", "sanitize-payload", "skip-sanitize-payload", "ON")
	case 1:
		return w.of(">", "<") + w.of("foo", "bar", "")
	case 2:
		return w.of("#", "!") + w.of("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae", "2c26", "2C26B46B68FFC68FF99B453C1D30413413422D706483BFA0F98A5E886266E7AE")
	case 3, 4:
		var some []string
		for range w.rng.IntN(4) {
			some = append(some, w.rule())
		}
		return "(" + strings.Join(some, " ") + ")"
	case 5:
		return w.of("foo", "%Q~a", "~a b", "&a b", "", ")", "%~a", "+", "-", "+@", "%R")
	}
	return w.rule()
}

func (w *aclWords) call() []any {
	var args []any
	for _, word := range strings.Fields(w.of(aclCalls...)) {
		switch word {
		case "K", "C":
			word = w.of("a", "ab", "b", "cb", "bc", "x", "zz", "a*")
		}
		args = append(args, word)
	}
	return args
}

// redisCommands returns the names of all commands and subcommands of redis-server.
func redisCommands(redis func(...any) any) (names []string) {
	for _, one := range redis("COMMAND", "INFO").([]any) {
		fields := one.([]any)
		names = append(names, fields[0].(string))
		for _, sub := range fields[9].([]any) {
			names = append(names, sub.([]any)[0].(string))
		}
	}
	slices.Sort(names)
	return names
}

// commandRules replaces the rules about commands in a reply of ACL GETUSER, and returns them.
func commandRules(reply any) (rules []string) {
	fields, ok := reply.([]any)
	if !ok {
		return nil
	}
	for i := 0; i+1 < len(fields); i += 2 {
		switch fields[i] {
		case "commands":
			rules = append(rules, fields[i+1].(string))
			fields[i+1] = ""
		case "selectors":
			for _, s := range fields[i+1].([]any) {
				rules = append(rules, commandRules(s)...)
			}
		}
	}
	return rules
}

// TestACLEqualsRedis sends random rules and dry runs to both servers. The rules about commands have equal effects: redis-server
// describes them alike after it has read those of this server.
func TestACLEqualsRedis(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t))
	do := func(args ...any) any { return redis.Do(args...) }
	h := servertest.New(t)
	w := &aclWords{rng: rand.New(randtest.Source(t)), commands: redisCommands(do)}
	require.Greater(t, len(w.commands), 360)
	denied, wrong, runs := 0, 0, 0
	for round := range 600 {
		user := fmt.Sprint("u", round%7)
		for range 1 + w.rng.IntN(3) {
			args := []any{"ACL", "SETUSER", user}
			for range w.rng.IntN(6) {
				args = append(args, w.word())
			}
			want := do(args...)
			require.Equal(t, want, h.Do(args...), "%q", args)
			if _, failed := want.(resptest.Error); failed {
				wrong++
			}
		}
		theirs, ours := do("ACL", "GETUSER", user), h.Do("ACL", "GETUSER", user)
		theirRules, ourRules := commandRules(theirs), commandRules(ours)
		require.Equal(t, theirs, ours, "ACL GETUSER")
		for i, rules := range ourRules {
			copied := []any{"ACL", "SETUSER", "copy", "reset"}
			for _, word := range strings.Fields(rules) {
				copied = append(copied, word)
			}
			require.Equal(t, resptest.Simple("OK"), do(copied...), rules)
			require.Equal(t, theirRules[i], commandRules(do("ACL", "GETUSER", "copy"))[0], rules)
		}
		for range 25 {
			args := append([]any{"ACL", "DRYRUN", user}, w.call()...)
			want := do(args...)
			require.Equal(t, want, h.Do(args...), "%q: %s", args, strings.Join(ourRules, "; "))
			if want != resptest.Simple("OK") {
				denied++
			}
			runs++
		}
	}
	require.Greater(t, wrong, 100)
	require.Greater(t, denied, runs/4)
	require.Less(t, denied, runs*19/20)
}
