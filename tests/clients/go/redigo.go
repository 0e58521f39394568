package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/gomodule/redigo/redis"
)

// redigoClient uses RESP2, because the library does not know RESP3.
func redigoClient(context.Context) {
	pool := &redis.Pool{Dial: func() (redis.Conn, error) { return redis.Dial("tcp", addr) }, TestOnBorrow: nil, MaxIdle: 1}
	checks := []struct {
		name string
		run  func(redis.Conn)
	}{
		{"ping", func(c redis.Conn) { equal("PONG", get(redis.String(c.Do("PING")))) }},
		{"strings", redigoStrings}, {"nulls", redigoNulls}, {"zset", redigoZset}, {"pipeline", redigoPipeline},
		{"transaction", redigoTransaction}, {"sliding log", redigoSlidingLog}, {"scan", redigoScan},
		{"throttle", func(c redis.Conn) { throttle(redigoCall(c)) }}, {"errors", redigoErrors}, {"client", redigoInfo},
		{"binary", redigoBinary}, {"select", redigoSelect}, {"auth", redigoAuth},
		{"reconnect", func(c redis.Conn) { redigoReconnect(pool, c) }},
	}
	for _, one := range checks {
		check("redigo RESP2 "+one.name, func() {
			c := redigoDial(addr)
			defer func() { _ = c.Close() }()
			get(c.Do("FLUSHALL"))
			one.run(c)
		})
	}
}

func redigoDial(addr string, options ...redis.DialOption) redis.Conn {
	return get(redis.Dial("tcp", addr, options...))
}

func redigoCall(c redis.Conn) caller {
	return func(args ...any) (any, error) { return c.Do(fmt.Sprint(args[0]), args[1:]...) }
}

func redigoStrings(c redis.Conn) {
	equal("OK", get(redis.String(c.Do("SET", "s", "v"))))
	equal("v", get(redis.String(c.Do("GET", "s"))))
	equal("OK", get(redis.String(c.Do("SETEX", "s", 100, "w"))))
	equal(true, get(redis.Int(c.Do("TTL", "s"))) > 0)
	equal(1, get(redis.Int(c.Do("INCR", "n"))))
	equal(42, get(redis.Int(c.Do("INCRBY", "n", 41))))
	equal(true, get(redis.Bool(c.Do("EXPIRE", "n", 50))))
	equal(true, get(redis.Int(c.Do("PTTL", "n"))) > 0)
	equal([]any{[]byte("w"), nil, []byte("42")}, get(redis.Values(c.Do("MGET", "s", "none", "n"))))
	equal(2, get(redis.Int(c.Do("DEL", "s", "n", "none"))))
}

func redigoNulls(c redis.Conn) {
	for _, command := range [][]any{{"GET", "none"}, {"ZSCORE", "none", "m"}, {"SET", "none", "v", "XX"}} {
		equal(nil, get(redigoCall(c)(command...)))
	}
	equal(-2, get(redis.Int(c.Do("TTL", "none"))))
}

func redigoZset(c redis.Conn) {
	equal(3, get(redis.Int(c.Do("ZADD", "z", 1, "a", 2.5, "b", "+inf", "c"))))
	equal([]string{"a", "1", "b", "2.5", "c", "inf"}, get(redis.Strings(c.Do("ZRANGE", "z", 0, -1, "WITHSCORES"))))
	equal(2.75, get(redis.Float64(c.Do("ZINCRBY", "z", 0.25, "b"))))
	equal([]string{"b"}, get(redis.Strings(c.Do("ZRANGEBYSCORE", "z", "(1", 3))))
	equal([]string{"a", "1"}, get(redis.Strings(c.Do("ZPOPMIN", "z"))))
}

func redigoPipeline(c redis.Conn) {
	for range 1000 {
		must(c.Send("INCR", "p"))
	}
	must(c.Flush())
	for i := range 1000 {
		equal(i+1, get(redis.Int(c.Receive())))
	}
}

func redigoTransaction(c redis.Conn) {
	must(c.Send("MULTI"))
	must(c.Send("SET", "t", 1))
	must(c.Send("INCR", "t"))
	equal([]any{"OK", int64(2)}, get(redis.Values(c.Do("EXEC"))))
	other := redigoDial(addr)
	defer func() { _ = other.Close() }()
	get(c.Do("WATCH", "t"))
	get(other.Do("SET", "t", 9))
	must(c.Send("MULTI"))
	must(c.Send("SET", "t", 10))
	equal(nil, get(c.Do("EXEC")))
	equal("9", get(redis.String(c.Do("GET", "t"))))
}

func redigoSlidingLog(c redis.Conn) {
	for i := range 4 {
		now := 1000 + i
		must(c.Send("MULTI"))
		must(c.Send("ZREMRANGEBYSCORE", "log", 0, now-2))
		must(c.Send("ZCARD", "log"))
		must(c.Send("ZADD", "log", now, now))
		must(c.Send("EXPIRE", "log", 60))
		equal([]int{max(0, min(1, i-1)), min(i, 1), 1, 1}, get(redis.Ints(c.Do("EXEC"))))
	}
}

func redigoScan(c redis.Conn) {
	for i := range 5000 {
		must(c.Send("SET", fmt.Sprint("scan:", i), i))
	}
	get(c.Do(""))
	seen := map[string]bool{}
	for cursor := "0"; ; {
		page := get(redis.Values(c.Do("SCAN", cursor, "MATCH", "scan:*", "COUNT", 100)))
		for _, key := range get(redis.Strings(page[1], nil)) {
			seen[key] = true
		}
		if cursor = get(redis.String(page[0], nil)); cursor == "0" {
			break
		}
	}
	equal(5000, len(seen))
}

func redigoErrors(c redis.Conn) {
	get(c.Do("ZADD", "z", 1, "a"))
	_, err := c.Do("INCR", "z")
	equal[error](redis.Error("WRONGTYPE Operation against a key holding the wrong kind of value"), err)
	get(c.Do("SET", "s", "word"))
	_, err = c.Do("INCR", "s")
	equal[error](redis.Error("ERR value is not an integer or out of range"), err)
	throttleError(redigoCall(c))
	equal("PONG", get(redis.String(c.Do("PING"))))
}

func redigoInfo(c redis.Conn) {
	get(c.Do("CLIENT", "SETNAME", "tester"))
	equal("tester", get(redis.String(c.Do("CLIENT", "GETNAME"))))
	for _, what := range []string{"INFO", "LIST"} {
		equal(true, strings.Contains(get(redis.String(c.Do("CLIENT", what))), " name=tester "))
	}
	equal(true, strings.Contains(get(redis.String(c.Do("INFO"))), "redis_version:7."))
}

func redigoBinary(c redis.Conn) {
	key, value := binaryPair()
	get(c.Do("SET", key, value))
	equal(true, get(redis.String(c.Do("GET", key))) == value)
	equal([]string{key}, get(redis.Strings(c.Do("KEYS", "*"))))
}

func redigoReconnect(pool *redis.Pool, c redis.Conn) {
	me := pool.Get()
	id := get(redis.Int(me.Do("CLIENT", "ID")))
	equal(1, get(redis.Int(c.Do("CLIENT", "KILL", "ID", id))))
	until(func() bool { _, err := me.Do("PING"); return err != nil })
	_ = me.Close()
	again := pool.Get()
	equal("PONG", get(redis.String(again.Do("PING"))))
	_ = again.Close()
}

func redigoSelect(c redis.Conn) {
	five := redigoDial(addr, redis.DialDatabase(5))
	defer func() { _ = five.Close() }()
	get(five.Do("SET", "five", 1))
	equal(nil, get(c.Do("GET", "five")))
	get(c.Do("SELECT", 5))
	equal("1", get(redis.String(c.Do("GET", "five"))))
}

func redigoAuth(redis.Conn) {
	no := redigoDial(authAddr)
	defer func() { _ = no.Close() }()
	_, err := no.Do("PING")
	refused(err, "NOAUTH Authentication required.")
	_, err = redis.Dial("tcp", authAddr, redis.DialPassword("no"))
	refused(err, "WRONGPASS invalid username-password pair or user is disabled.")
	yes := redigoDial(authAddr, redis.DialPassword(password), redis.DialClientName("me"))
	defer func() { _ = yes.Close() }()
	equal("me", get(redis.String(yes.Do("CLIENT", "GETNAME"))))
}
