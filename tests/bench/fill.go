package main

import (
	"context"
	"fmt"
	"strconv"

	"cellserver/resp/resptest"
)

// fillValues gives every key a value.
func fillValues(ctx context.Context, s *server) error {
	_, err := drive(ctx, filler(s.addr, keyspace, func(b []byte, i int) []byte {
		return command(b, "SET", name("key:", i), "xxx")
	}, "+OK\r\n"))
	return err
}

// setting is a connection's walk through these keys, each of which it sets.
func setting(connection int) script {
	return func(request, reply []byte, i int) ([]byte, []byte) {
		return command(request, "SET", name("key:", (connection*1009+i*7919)%keyspace), "xxx"), append(reply, "+OK\r\n"...)
	}
}

// fillUsed makes the keys that usage walks through: of a server that throttles, throttle keys that are in use for an hour.
func fillUsed(ctx context.Context, s *server) error {
	if !s.throttles {
		return fillValues(ctx, s)
	}
	_, err := drive(ctx, filler(s.addr, keyspace, func(b []byte, i int) []byte {
		return command(b, "CL.THROTTLE", name("key:", i), "1000000", "1", "1", "3600")
	}, decision(0, 1_000_001, 1_000_001-3600, -1, 3600)))
	return err
}

// usage is a connection's walk through these keys, each of which it throttles, or sets.
func usage(k kind) func(connection int) script {
	if !k.throttles {
		return setting
	}
	return func(connection int) script {
		return func(request, reply []byte, i int) ([]byte, []byte) {
			return command(request, "CL.THROTTLE", name("key:", (connection*1009+i*7919)%keyspace), "1000000", "1", "1"),
				append(reply, "*5\r\n:0\r\n:1000001\r\n:??????\r\n:-1\r\n:????\r\n"...)
		}
	}
}

// fillThrottles takes the one action that every key allows in eleven days.
func fillThrottles(ctx context.Context, s *server) error {
	_, err := drive(ctx, filler(s.addr, keyspace, func(b []byte, i int) []byte {
		return command(b, "CL.THROTTLE", name("full:", i), "0", "1", "1000000")
	}, decision(0, 1, 0, -1, 1_000_000)))
	return err
}

// fillLarge makes the large sorted set.
func fillLarge(ctx context.Context, s *server) error {
	_, err := drive(ctx, filler(s.addr, keyspace, func(b []byte, i int) []byte {
		// Scores are in another order than members, as they are in the load: 7919 has no divisor in common with the keyspace.
		return command(b, "ZADD", "large", fmt.Sprint(i*7919%keyspace), name("member:", i))
	}, ":1\r\n"))
	return err
}

// A sliding log admits what finds fewer than its limit of actions within the window: in one transaction it forgets
// what has left the window, counts, adds and extends its life. Here a log holds logEntries at any time, so that each
// transaction forgets one and adds one.
const (
	logEntries = 100
	logs       = 1000 // fillLogs fills so many; every connection has a log of its own
	logReply   = "+OK\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n+QUEUED\r\n*4\r\n:1\r\n:99\r\n:1\r\n:1\r\n"
)

// slidingLog is a connection's transactions on its log, one a tick.
func slidingLog(connection int) script {
	key := name("log:", connection)
	return func(request, reply []byte, i int) ([]byte, []byte) {
		now := logEntries + i
		request = command(request, "MULTI")
		request = command(request, "ZREMRANGEBYSCORE", key, "-inf", fmt.Sprint(now-logEntries))
		request = command(request, "ZCARD", key)
		request = command(request, "ZADD", key, fmt.Sprint(now), fmt.Sprint(now))
		request = command(request, "EXPIRE", key, "60")
		return command(request, "EXEC"), append(reply, logReply...)
	}
}

// fillLogs makes the logs as they are before tick logEntries.
func fillLogs(ctx context.Context, s *server) error {
	_, err := drive(ctx, filler(s.addr, logs, func(b []byte, i int) []byte {
		args := []any{"ZADD", name("log:", i)}
		for entry := range logEntries {
			args = append(args, entry, entry)
		}
		return append(b, resptest.Command(args...)...)
	}, fmt.Sprintf(":%d\r\n", logEntries)))
	return err
}

// name is a key as redis-benchmark writes it.
func name(prefix string, i int) string {
	b := append(make([]byte, 0, 32), prefix...)
	for digit := 100_000_000_000; digit > 0; digit /= 10 {
		b = append(b, byte('0'+i/digit%10))
	}
	return string(b)
}

// command appends a command. Clients are not to be slower than the server, and so it is written without a format.
func command(b []byte, args ...string) []byte {
	b = append(strconv.AppendInt(append(b, '*'), int64(len(args)), 10), "\r\n"...)
	for _, arg := range args {
		b = append(strconv.AppendInt(append(b, '$'), int64(len(arg)), 10), "\r\n"...)
		b = append(append(b, arg...), "\r\n"...)
	}
	return b
}

// decision is CL.THROTTLE's reply.
func decision(limited, limit, remaining, retry, reset int) string {
	return fmt.Sprintf("*5\r\n:%d\r\n:%d\r\n:%d\r\n:%d\r\n:%d\r\n", limited, limit, remaining, retry, reset)
}
