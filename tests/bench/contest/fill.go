package contest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fillValues gives every key a value.
func fillValues(t testing.TB, s *Server) {
	Fill(t, s.Addr, Keyspace, func(b []byte, i int) []byte {
		return Command(b, "SET", Key("key:", i), "xxx")
	}, "+OK\r\n")
}

// fittingKeys is how many of the keys fit in the memory that fillTooMuch leaves.
const fittingKeys = Keyspace * 78 / 100

// fillTooMuch makes the server evict keys by allkeys-lru, to hold about fittingKeys of the counters.
func fillTooMuch(t testing.TB, s *Server) {
	count := func(b []byte, i int) []byte { return Command(b, "INCR", Key("key:", i)) }
	Fill(t, s.Addr, fittingKeys, count, ":1\r\n")
	used := s.info("used_memory")
	s.Do(t, "CONFIG", "SET", "maxmemory", used, "maxmemory-policy", "allkeys-lru")
	Fill(t, s.Addr, Keyspace, count, ":#\r\n")
	require.NotEqual(t, "0", s.info("evicted_keys"), "the server evicts no key")
}

// FillFull takes the one action that each key of Refuses allows in eleven days.
func FillFull(t testing.TB, s *Server) {
	Fill(t, s.Addr, Keyspace, func(b []byte, i int) []byte {
		return Command(b, "CL.THROTTLE", Key("full:", i), "0", "1", "1000000")
	}, allowed)
}

// The decisions of a server: on keys with room, and on keys without.
var (
	Admits  = sends("CL.THROTTLE key:"+random+" 1000000 1 1", allowed)
	Refuses = sends("CL.THROTTLE full:"+random+" 0 1 1000000", limited)
)

// CountsTwice is the script for Redis: it counts, and at the end of a pipeline it waits until the replica
// has counted, too.
func CountsTwice(pipeline int) func(connection int) Script {
	count := sends("INCR key:"+random, ":#\r\n")
	return func(connection int) Script {
		next, i := count(connection), 0
		return func(request, reply []byte, heard []int64) ([]byte, []byte) {
			request, reply = next(request, reply, heard)
			if i++; i%pipeline == 0 {
				request, reply = Command(request, "WAIT", "1", "0"), append(reply, ":1\r\n"...)
			}
			return request, reply
		}
	}
}

// fillLarge creates the large sorted set.
func fillLarge(t testing.TB, s *Server) {
	Fill(t, s.Addr, Keyspace, func(b []byte, i int) []byte {
		// The order of the scores differs from the order of the members, as under load. 7919 and the
		// keyspace have no common divisor.
		return Command(b, "ZADD", "large", fmt.Sprint(i*7919%Keyspace), Key("member:", i))
	}, ":1\r\n")
}

// makeRule creates the rule for CL.CHECK, with two limits of the cheapest kind.
func makeRule(t testing.TB, s *Server) {
	s.Do(t, "CL.RULE", "SET", "two", "CL.THROTTLE", "1000000", "30", "60",
		"AND", "CL.THROTTLE", "1000000", "1000", "3600")
}

// makeBudget creates the rule for CL.RESERVE, with the limit of the Throttle workload. Each key has had a
// reservation, because a key with a budget comes back.
func makeBudget(t testing.TB, s *Server) {
	s.Do(t, "CL.RULE", "SET", "one", "CL.THROTTLE", "1000000", "30", "60")
	Fill(t, s.Addr, Keyspace, func(b []byte, i int) []byte {
		return Command(b, "CL.RESERVE", "one", Key("key:", i), "12", "first", "1")
	}, allowed)
}

// reserves returns a script of reservations that are settled at once, for less than was reserved. Each of
// them has an id of its own.
func reserves(connection int) Script {
	n := 0
	return func(request, reply []byte, _ []int64) ([]byte, []byte) {
		n++
		key, id := Key("key:", rand.IntN(Keyspace)), strconv.Itoa(connection)+"-"+strconv.Itoa(n)
		request = Command(request, "CL.RESERVE", "one", key, "12", id, "1")
		request = Command(request, "CL.SETTLE", "one", key, id, "9")
		return request, append(append(reply, allowed...), allowed...)
	}
}

// A sliding log admits an action if there are fewer actions than the limit within the window. One
// transaction removes the old actions, counts, adds, and extends the expiry. Here a log always holds
// logEntries, so each transaction removes one entry and adds one entry.
const (
	logEntries = 100
	logs       = 1000 // the number of logs that fillLogs fills; every connection has its own log
	logReply   = "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*4\r\n:1\r\n:99\r\n:1\r\n:1\r\n"
)

// slidingLog returns scripts of transactions on the connection's log, one for each tick. `member` names the
// action of a tick.
func slidingLog(member func(now int) string) func(connection int) Script {
	return func(connection int) Script {
		key, now := Key("log:", connection), logEntries-1
		return func(request, reply []byte, _ []int64) ([]byte, []byte) {
			now++
			request = Command(request, "MULTI")
			request = Command(request, "ZREMRANGEBYSCORE", key, "-inf", fmt.Sprint(now-logEntries))
			request = Command(request, "ZCARD", key)
			request = Command(request, "ZADD", key, fmt.Sprint(now), member(now))
			request = Command(request, "EXPIRE", key, "60")
			return Command(request, "EXEC"), append(reply, logReply...)
		}
	}
}

// logMember is the tick itself. mixedMember is a name of up to nine further bytes.
func logMember(now int) string   { return fmt.Sprint(now) }
func mixedMember(now int) string { return fmt.Sprint(now, "-") + "request01"[:now*7919%10] }

// fillLogs creates the logs in the state before tick logEntries.
func fillLogs(t testing.TB, s *Server) {
	Fill(t, s.Addr, logs, func(b []byte, i int) []byte {
		words := []string{"ZADD", Key("log:", i)}
		for entry := range logEntries {
			words = append(words, fmt.Sprint(entry), fmt.Sprint(entry))
		}
		return Command(b, words...)
	}, fmt.Sprintf(":%d\r\n", logEntries))
}

// fullLog returns a script of CL.LOG on the connection's log, which holds about logEntries at any speed of
// the server. The period is the time since the action logEntries before, if the log holds that many
// entries. After a pause of the server the log holds fewer entries. Then the server removes none until the
// log is full again.
func fullLog(connection int) Script {
	const limit = 1_000_000              // far above the size
	const whole = 500 * time.Millisecond // the server removes nothing during this time
	key := Key("log:", connection)
	var sent [logEntries]time.Time // the last actions
	i := 0
	return func(request, expected []byte, heard []int64) ([]byte, []byte) {
		now, before, period := time.Now(), &sent[i%logEntries], whole
		if n := len(heard); n > 0 && limit-heard[n-2] >= logEntries { // remaining, and the reset
			period = min(now.Sub(*before), whole)
		}
		*before = now
		i++
		seconds := strconv.FormatFloat(period.Seconds(), 'f', 9, 64)
		return Command(request, "CL.LOG", key, strconv.Itoa(limit), seconds),
			append(expected, "*5\r\n:0\r\n:1000000\r\n:#\r\n:-1\r\n:#\r\n"...)
	}
}

// KeyMaker is how to create a key on a server.
type KeyMaker struct {
	What    string
	Request func(b []byte, i int) []byte
	Reply   string
}

// ThrottleKey is how to create the key of a limit, or a string of the same value.
func ThrottleKey(k Kind) KeyMaker {
	if k.Name == Redis {
		return KeyMaker{"SET … PX", func(b []byte, i int) []byte {
			return Command(b, "SET", Key("key:", i), "1700000000000000000", "PX", "86400000")
		}, "+OK\r\n"}
	}
	return KeyMaker{"CL.THROTTLE", func(b []byte, i int) []byte {
		return Command(b, "CL.THROTTLE", Key("key:", i), "15", "1", "86400")
	}, allowed}
}

// LogKey is how to create a sorted set of so many members: a sliding log with a member for each request.
func LogKey(members int) KeyMaker {
	return KeyMaker{"ZADD", func(b []byte, i int) []byte {
		words := []string{"ZADD", Key("key:", i)}
		for m := range members {
			now := fmt.Sprint(1_790_000_000_000 + i*7 + m*1237)
			words = append(words, now, now)
		}
		return Command(b, words...)
	}, fmt.Sprintf(":%d\r\n", members)}
}
