package contest

import (
	"context"
	"errors"
	"fmt"

	"cellserver/resp/resptest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"
)

// fillValues gives every key a value.
func fillValues(ctx context.Context, s *server.Server) error {
	_, err := load.Drive(ctx, load.Filler(s.Addr, Keyspace, func(b []byte, i int) []byte {
		return load.Command(b, "SET", load.Key("key:", i), "xxx")
	}, "+OK\r\n"))
	return err
}

// fittingKeys is how many of the keys fit in the memory that fillTooMuch leaves.
const fittingKeys = Keyspace * 78 / 100

// fillTooMuch makes the server evict keys by allkeys-lru, to hold about fittingKeys of the counters.
func fillTooMuch(ctx context.Context, s *server.Server) error {
	count := func(b []byte, i int) []byte { return load.Command(b, "INCR", load.Key("key:", i)) }
	if _, err := load.Drive(ctx, load.Filler(s.Addr, fittingKeys, count, ":1\r\n")); err != nil {
		return err
	}
	used, err := s.UsedMemory()
	if err != nil {
		return err
	}
	if _, err = s.Do("CONFIG", "SET", "maxmemory", used, "maxmemory-policy", "allkeys-lru"); err != nil {
		return err
	}
	if _, err = load.Drive(ctx, load.Filler(s.Addr, Keyspace, count, ":?\r\n")); err != nil {
		return err
	}
	evicted, err := s.Evicted()
	if err == nil && evicted == 0 {
		err = errors.New("the server evicts no key")
	}
	return err
}

// FillUsed creates the keys for Usage: throttle keys that are in use for an hour.
func FillUsed(ctx context.Context, addr string) error {
	_, err := load.Drive(ctx, load.Filler(addr, Keyspace, func(b []byte, i int) []byte {
		return load.Command(b, "CL.THROTTLE", load.Key("key:", i), "1000000", "1", "1", "3600")
	}, load.ThrottleReply(0, 1_000_001, 1_000_001-3600, -1, 3600)))
	return err
}

// SomeKey returns one of the filled keys.
func SomeKey(prefix string, connection, i int) string {
	return load.Key(prefix, (connection*1009+i*7919)%Keyspace)
}

// Usage is a script that throttles the keys of FillUsed.
func Usage(connection int) load.Script {
	return func(request, reply []byte, i int) ([]byte, []byte) {
		return load.Command(request, "CL.THROTTLE", SomeKey("key:", connection, i), "1000000", "1", "1"),
			append(reply, "*5\r\n:0\r\n:1000001\r\n:??????\r\n:-1\r\n:????\r\n"...)
	}
}

// FillFull takes the one action that every key allows in eleven days. No second of them may pass during the
// filling.
func FillFull(ctx context.Context, addr string) error {
	_, err := load.Drive(ctx, load.Filler(addr, Keyspace, func(b []byte, i int) []byte {
		return load.Command(b, "CL.THROTTLE", load.Key("full:", i), "0", "1", "1000000")
	}, "*5\r\n:0\r\n:1\r\n:0\r\n:-1\r\n:???????\r\n"))
	return err
}

// fillLarge creates the large sorted set.
func fillLarge(ctx context.Context, s *server.Server) error {
	_, err := load.Drive(ctx, load.Filler(s.Addr, Keyspace, func(b []byte, i int) []byte {
		// The order of the scores differs from the order of the members, as under load. 7919 and the
		// keyspace have no common divisor.
		return load.Command(b, "ZADD", "large", fmt.Sprint(i*7919%Keyspace), load.Key("member:", i))
	}, ":1\r\n"))
	return err
}

// A sliding log admits an action if there are fewer actions than the limit within the window. One
// transaction removes the old actions, counts, adds, and extends the expiry. Here a log always holds
// logEntries, so each transaction removes one entry and adds one entry.
const (
	logEntries = 100
	logs       = 1000 // the number of logs that fillLogs fills; every connection has its own log
	logReply   = "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*4\r\n:1\r\n:99\r\n:1\r\n:1\r\n"
)

// slidingLog returns a script of transactions on the connection's log, one for each tick. `member` names the
// action of a tick.
func slidingLog(member func(now int) string) func(connection int) load.Script {
	return func(connection int) load.Script {
		key := load.Key("log:", connection)
		return func(request, reply []byte, i int) ([]byte, []byte) {
			now := logEntries + i
			request = load.Command(request, "MULTI")
			request = load.Command(request, "ZREMRANGEBYSCORE", key, "-inf", fmt.Sprint(now-logEntries))
			request = load.Command(request, "ZCARD", key)
			request = load.Command(request, "ZADD", key, fmt.Sprint(now), member(now))
			request = load.Command(request, "EXPIRE", key, "60")
			return load.Command(request, "EXEC"), append(reply, logReply...)
		}
	}
}

// logMember is the tick itself. mixedMember is a name of up to nine further bytes.
func logMember(now int) string   { return fmt.Sprint(now) }
func mixedMember(now int) string { return fmt.Sprint(now, "-") + "request01"[:now*7919%10] }

// fillLogs creates the logs in the state before tick logEntries.
func fillLogs(ctx context.Context, s *server.Server) error {
	_, err := load.Drive(ctx, load.Filler(s.Addr, logs, func(b []byte, i int) []byte {
		args := []any{"ZADD", load.Key("log:", i)}
		for entry := range logEntries {
			args = append(args, entry, entry)
		}
		return append(b, resptest.Command(args...)...)
	}, fmt.Sprintf(":%d\r\n", logEntries)))
	return err
}

// KeyMaker is how to create a key on a server.
type KeyMaker struct {
	What    string
	Request func(b []byte, i int) []byte
	Reply   string
}

func ThrottleKey(k server.Kind) KeyMaker {
	if !k.Throttles {
		return KeyMaker{"SET … PX", func(b []byte, i int) []byte {
			return load.Command(b, "SET", load.Key("key:", i), "1700000000000000000", "PX", "86400000")
		}, "+OK\r\n"}
	}
	return KeyMaker{"CL.THROTTLE", func(b []byte, i int) []byte {
		return load.Command(b, "CL.THROTTLE", load.Key("key:", i), "15", "1", "86400")
	}, load.ThrottleReply(0, 16, 15, -1, 86400)}
}

// LogKey is how to create a sorted set of so many members: a sliding log with a member for each request.
func LogKey(members int) KeyMaker {
	return KeyMaker{"ZADD", func(b []byte, i int) []byte {
		words := []string{"ZADD", load.Key("key:", i)}
		for m := range members {
			now := fmt.Sprint(1_790_000_000_000 + i*7 + m*1237)
			words = append(words, now, now)
		}
		return load.Command(b, words...)
	}, fmt.Sprintf(":%d\r\n", members)}
}
