package differential

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// blockingKeys are the keys of clients that wait, and of those that bring values.
var blockingKeys = []string{"{t}a", "{t}b", "{t}c"}

// blockingGrammar makes the commands of clients that wait, and of those that bring values.
type blockingGrammar struct {
	*rand.Rand
	payloads []string // for RESTORE
}

func (g *blockingGrammar) pick(words ...string) string { return words[g.IntN(len(words))] }

func (g *blockingGrammar) key() string { return g.pick(blockingKeys...) }

func (g *blockingGrammar) keys() (all []string) {
	for range 1 + g.IntN(3) {
		all = append(all, g.key())
	}
	return all
}

// program returns a command, or a transaction.
func (g *blockingGrammar) program() [][]string {
	switch n := g.IntN(30); {
	case n == 0:
		return swapped
	case n > 4:
		return [][]string{g.line(g.IntN(2) == 0)}
	}
	lines := [][]string{{"MULTI"}}
	for range 1 + g.IntN(5) {
		lines = append(lines, g.line(g.IntN(4) == 0))
	}
	return append(lines, []string{g.pick("EXEC", "EXEC", "EXEC", "DISCARD")})
}

// swapped exchanges two databases with one of the keys at most. With several, Redis has the order of a hash table.
var swapped = [][]string{
	{"MULTI"}, {"SELECT", "0"}, {"DEL", "{t}b", "{t}c"}, {"SELECT", "1"}, {"DEL", "{t}b", "{t}c"}, {"SWAPDB", "0", "1"}, {"EXEC"},
}

// mayWait reports whether a command may wait.
func (g *blockingGrammar) mayWait(args []string) bool {
	return strings.HasPrefix(args[0], "B")
}

// timeout returns the seconds that a command waits. Most end by another client, some at once, and some are errors. Too large
// ones are left out: Redis 7.0 calls them negative.
func (g *blockingGrammar) timeout() string {
	switch g.IntN(12) {
	case 0:
		return g.pick("0.002", ".001", "0.0001", "1e-3")
	case 1:
		return g.pick("-1", "nan", "-inf", "x", " 1", "1 ", "0,1", "1e-9x")
	case 2:
		return g.pick("0.0", "100000", "1e9", "-0", "-0.0001", "", "0x10")
	}
	return "0"
}

func (g *blockingGrammar) numbered(name, side, other string) []string {
	k := g.keys()
	line := append([]string{name, g.timeout(), strconv.Itoa(len(k))}, k...)
	line = append(line, g.pick(side, other))
	switch g.IntN(8) {
	case 0:
		return line
	case 1:
		return append(line, "COUNT", g.pick("0", "-1", "x", "9223372036854775807"))
	}
	return append(line, "COUNT", g.pick("1", "2", "3"))
}

// line returns a command that may wait, or one that brings and takes values.
func (g *blockingGrammar) line(waits bool) []string {
	if !waits {
		return g.bring()
	}
	switch g.IntN(6) {
	case 0:
		return append(append([]string{g.pick("BLPOP", "BRPOP")}, g.keys()...), g.timeout())
	case 1:
		return []string{"BLMOVE", g.key(), g.key(), g.pick("LEFT", "RIGHT"), g.pick("LEFT", "RIGHT"), g.timeout()}
	case 2:
		return []string{"BRPOPLPUSH", g.key(), g.key(), g.timeout()}
	case 3:
		return g.numbered("BLMPOP", "LEFT", "RIGHT")
	case 4:
		return append(append([]string{g.pick("BZPOPMIN", "BZPOPMAX")}, g.keys()...), g.timeout())
	default:
		return g.numbered("BZMPOP", "MIN", "MAX")
	}
}

// broughtBy are commands with keys in the place of K and L, and with one of several words in the place of a|b. If ZRANGESTORE or
// ZUNIONSTORE replace a key of another type, Redis 7.0 serves nobody, and we do. So the key is removed before.
var broughtBy = []string{
	"RPUSH|LPUSH K x", "RPUSH|LPUSH K x", "RPUSH|LPUSH K x y", "RPUSH|LPUSH K x y z", "ZADD K 1 x", "ZADD K 1 x 2 y", "ZADD K 3 z 1 x 2 y",
	"DEL|UNLINK K", "DEL|UNLINK K L", "RENAME|RENAMENX|COPY K L", "COPY K L REPLACE", "COPY K L DB 0|1", "MOVE K 0|1", "SELECT 0|1",
	"LMOVE K L LEFT|RIGHT LEFT|RIGHT", "RPOPLPUSH K L", "LPOP|RPOP|ZPOPMIN|TYPE K", "SET|LPUSHX|APPEND|GETSET K v",
	"LINSERT K BEFORE x w", "LTRIM K 1 0", "ZREM K x", "PEXPIREAT K 1", "RESTORE K 0 P REPLACE", "RESTORE K 0 P",
	"FLUSHDB|FLUSHALL", "RESET", "ZINCRBY K 1 x", "SADD K m",
	"EVAL redis.call('rpush',KEYS[1],'e');return(redis.call('zadd',KEYS[2],1,'m')) 2 K L",
	"EVAL redis.call('rpush',KEYS[1],'e');redis.call('del',KEYS[1]) 1 K", "EVAL redis.call('rpush',KEYS[1],'e');redis.call('rename',KEYS[1],KEYS[2]) 2 K L",
	"EVAL return(redis.call('blpop',KEYS[1],0)) 1 K", "EVAL redis.call('del',KEYS[1]);redis.call('rpush',KEYS[1],1,2,3);return(redis.call('rpop',KEYS[1])) 1 K",
	"EVAL redis.call('del',KEYS[1]);redis.call('zrangestore',KEYS[1],KEYS[2],0,-1) 2 K L",
	"EVAL redis.call('del',KEYS[1]);redis.call('zunionstore',KEYS[1],2,KEYS[1],KEYS[2]) 2 K L",
	"EVAL redis.call('rpush',KEYS[1],1);redis.call('nothing') 1 K",
}

func (g *blockingGrammar) bring() (line []string) {
	for _, word := range strings.Fields(broughtBy[g.IntN(len(broughtBy))]) {
		switch word {
		case "K", "L":
			word = g.key()
		case "P":
			word = g.pick(g.payloads...)
		default:
			if len(word) < 30 {
				word = g.pick(strings.Split(word, "|")...)
			}
		}
		line = append(line, word)
	}
	return line
}
