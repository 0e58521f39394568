package attacks

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"cellserver/resp/resptest"
)

// excepted are the commands that no bound covers: they work on the whole keyspace, end the server, or
// wait on purpose.
var excepted = []string{"shutdown", "debug", "flushall", "flushdb", "keys", "save", "bgsave", "bgrewriteaof", "config", "client", "monitor",
	"memory", "acl", "wait", "swapdb", "failover", "sync", "psync", "quit"}

// populate gives the session values that are worth an attack.
func populate(s *server) {
	c := s.dial()
	c.Do("SETRANGE", "big", 10<<20, "x")
	for i := 0; i < 2_000; i += 500 {
		sorted, set, hash := []any{"ZADD", "z"}, []any{"SADD", "s"}, []any{"HSET", "h"}
		for j := range 500 {
			member := fmt.Sprintf("member:%08d", i+j)
			sorted, set, hash = append(sorted, i+j, member), append(set, member), append(hash, member, i+j)
		}
		c.Do(sorted...)
		c.Do(set...)
		c.Do(hash...)
	}
	c.Do("CL.RULE", "SET", "r", "CL.LOG", 1_000_000, 3600, "AND", "CL.THROTTLE", 1_000_000, 1_000_000, 60)
}

// sharp are lines that make the server hold, log, answer or compute much for few bytes.
var sharp = [][]string{
	{"RENAME big other", "RENAME other big"}, {"COPY big other REPLACE"}, {"MOVE big 1", "SELECT 1", "MOVE big 0", "SELECT 0"},
	{"MGET big big big big big big big big"}, {"GET big"}, {"GETRANGE big 0 -1"}, {"SETRANGE other 10485760 x", "DEL other"}, {"APPEND big x"},
	{"RENAME z y", "RENAME y z"}, {"COPY z y REPLACE"}, {"ZUNIONSTORE y 2 z z"}, {"ZRANGESTORE y z 0 -1"}, {"ZRANGE z 0 -1 WITHSCORES"}, {"ZDIFFSTORE y 1 z"},
	{"DUMP big"}, {"DUMP z"}, {"LCS big big"}, {"SUBSCRIBE a", "PUBLISH a big", "UNSUBSCRIBE a"}, {"SCAN 0 COUNT 1000000"}, {"ZSCAN z 0 COUNT 1000000"},
	{"CL.LOG log 1000000 60 1000000"}, {"CL.WINDOW w 9223372036854775807 60 9223372036854775807"}, {"WATCH big z other y"}, {"EVALSHA 0 0"}, {"BITCOUNT big"},
	{"ZREMRANGEBYRANK z 0 -1", "RENAME y z"}, {"ZPOPMIN z 1000000"}, {"ZRANDMEMBER z -1000000"}, {"GETDEL big"}, {"GETSET big x"}, {"DEL big z", "COPY other big"},
	{"SETRANGE other 16777000 x"}, {"ZADD y 1 a 2 b", "ZUNION 8 z z z z z z z z"}, {"PSUBSCRIBE *", "PUBLISH a z", "PUNSUBSCRIBE *"}, {"MSET a big b big c big"},
	{"SUNIONSTORE y s s"}, {"SINTERSTORE y s s", "RENAME y s"}, {"SMEMBERS s"}, {"SPOP s 1000000", "SADD s a b c"}, {"SRANDMEMBER s -1000000"}, {"SSCAN s 0 COUNT 1000000"},
	{"HGETALL h"}, {"HRANDFIELD h -1000000 WITHVALUES"}, {"HSCAN h 0 COUNT 1000000"}, {"HSET h big big"}, {"COPY h y REPLACE"}, {"COPY s y REPLACE"}, {"DUMP h"},
	{"CL.CHECK r big EXPLAIN"}, {"CL.RESERVE r a 1 b 3600", "CL.SETTLE r a b 2"}, {"CL.RESERVE r a 1000000000 b 3600"}, {"CL.MCHECK 2 r a r b 1"},
	{"COMMAND DOCS"}, {"COMMAND"}, {"INFO everything"}, {"CL.TOP 8192"}, {"CL.RULE LIST"}, {"LATENCY HISTOGRAM"}, {"SLOWLOG GET -1"}, {"LOLWUT"},
}

// commandLines draws a call of each command.
func commandLines(s *server, r *rand.Rand) (names []string) {
	for _, one := range s.dial().Do("COMMAND").([]any) {
		row := one.([]any)
		name := row[0].(string)
		if slices.Contains(excepted, name) {
			continue
		}
		arity := row[1].(int64)
		words := max(arity, -arity) - 1
		for range words + int64(r.IntN(4)) {
			name += " " + pick(r)
		}
		names = append(names, name)
	}
	return names
}

// worstLines draws up to three command lines, to be repeated.
func worstLines(s *server, r *rand.Rand) (lines []string) {
	names := commandLines(s, r)
	lines = append(lines, "SELECT 0")
	for range 1 + r.IntN(3) {
		if r.IntN(2) == 0 {
			lines = append(lines, sharp[r.IntN(len(sharp))]...)
		} else {
			lines = append(lines, names[r.IntN(len(names))])
		}
	}
	if r.IntN(3) == 0 {
		lines = slices.Concat([]string{"MULTI"}, lines, []string{"EXEC"})
	}
	return lines
}

// mixedSession draws lines until they are as large as a session may be. Some of them are in transactions, of which few
// take the whole session.
func mixedSession(s *server, r *rand.Rand) (session []byte) {
	names, open := commandLines(s, r), false
	for {
		line := []string{names[r.IntN(len(names))]}
		switch n := r.IntN(100); {
		case n < 50:
			line = sharp[r.IntN(len(sharp))]
		case n < 52:
			line = []string{"MULTI"}
			if open {
				line[0] = "EXEC"
			}
			open = !open
		}
		more := encoded(line)
		if len(session)+len(more) > sessionBytes-64 {
			return append(session, encoded([]string{"EXEC"})...)
		}
		session = append(session, more...)
	}
}

// pick returns an argument.
func pick(r *rand.Rand) string {
	words := []string{"big", "z", "s", "h", "big", "z", "r", "other", "0", "-1", "1", "2", "1000000000", "9223372036854775807", "-inf", "+inf", "*", "WITHSCORES", "LIMIT",
		"BYSCORE", "STORE", "REPLACE", "COUNT", "MATCH", "GET", "EX", "[a", "+", "-", "IDX", "LEN", "AGGREGATE", "SUM"}
	return words[r.IntN(len(words))]
}

// repeated repeats the lines until they are as large as a session may be.
func repeated(lines []string) (session []byte) {
	once := encoded(lines)
	for len(session)+len(once) <= sessionBytes {
		session = append(session, once...)
	}
	return session
}

// encoded returns the requests of lines.
func encoded(lines []string) (requests []byte) {
	for _, line := range lines {
		requests = append(requests, resptest.Command(toArgs(line)...)...)
	}
	return requests
}

// toArgs returns the words of a line.
func toArgs(line string) (args []any) {
	for word := range strings.FieldsSeq(line) {
		args = append(args, word)
	}
	return args
}
