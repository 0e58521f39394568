package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

type rueidisCheck struct {
	name string
	run  func(context.Context, rueidis.Client)
}

func rueidisClient(ctx context.Context) {
	checks := []rueidisCheck{
		{"ping", func(ctx context.Context, r rueidis.Client) { equal("PONG", rueidisText(ctx, r, "PING")) }},
		{"strings", rueidisStrings}, {"nulls", rueidisNulls}, {"zset", rueidisZset}, {"pipeline", rueidisPipeline},
		{"transaction", rueidisTransaction}, {"sliding log", rueidisSlidingLog}, {"scan", rueidisScan},
		{"throttle", func(ctx context.Context, r rueidis.Client) { throttle(rueidisCall(ctx, r)) }}, {"errors", rueidisErrors},
		{"client", rueidisInfo}, {"binary", rueidisBinary}, {"reconnect", rueidisReconnect},
	}
	rueidisAll(ctx, "RESP3", rueidis.ClientOption{}, append(checks, rueidisCheck{"caching", rueidisCaching}))
	rueidisAll(ctx, "RESP2", rueidis.ClientOption{AlwaysRESP2: true, DisableCache: true}, checks)
}

func rueidisAll(ctx context.Context, mode string, options rueidis.ClientOption, checks []rueidisCheck) {
	open := func(addr string, change func(*rueidis.ClientOption)) (rueidis.Client, error) {
		opt := options
		opt.InitAddress = []string{addr}
		if change != nil {
			change(&opt)
		}
		return rueidis.NewClient(opt)
	}
	for _, c := range checks {
		check("rueidis "+mode+" "+c.name, func() {
			r := get(open(addr, nil))
			defer r.Close()
			get(rueidisCall(ctx, r)("FLUSHALL"))
			c.run(ctx, r)
		})
	}
	check("rueidis "+mode+" select", func() {
		zero, five := get(open(addr, nil)), get(open(addr, func(o *rueidis.ClientOption) { o.SelectDB = 5 }))
		defer zero.Close()
		defer five.Close()
		equal("OK", rueidisText(ctx, five, "SET", "five", 1))
		_, err := rueidisCall(ctx, zero)("GET", "five")
		equal(true, rueidis.IsRedisNil(err))
	})
	check("rueidis "+mode+" auth", func() {
		_, err := open(authAddr, func(o *rueidis.ClientOption) { o.Password = "no" })
		refused(err, "WRONGPASS invalid username-password pair or user is disabled.")
		r := get(open(authAddr, func(o *rueidis.ClientOption) { o.Password, o.ClientName = password, "me" }))
		defer r.Close()
		equal("me", rueidisText(ctx, r, "CLIENT", "GETNAME"))
	})
	check("rueidis "+mode+" cluster", func() {
		r := get(open(clusterAddr, nil))
		defer r.Close()
		rueidisCluster(ctx, r)
	})
}

// rueidisCall is the library's generic call; the first argument after the command and its subcommand is the key.
func rueidisCall(ctx context.Context, r rueidis.Client) caller {
	return func(args ...any) (any, error) { return r.Do(ctx, rueidisCommand(r, args...)).ToAny() }
}

func rueidisCommand(r rueidis.Client, args ...any) rueidis.Completed {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = fmt.Sprint(arg)
	}
	command := r.B().Arbitrary(words[0])
	if len(words) > 1 && words[0] != "DEBUG" && words[0] != "CLIENT" && words[0] != "SCAN" && words[0] != "CLUSTER" && words[0] != "KEYS" {
		return command.Keys(words[1]).Args(words[2:]...).Build()
	}
	return command.Args(words[1:]...).Build()
}

func rueidisText(ctx context.Context, r rueidis.Client, args ...any) string {
	return get(r.Do(ctx, rueidisCommand(r, args...)).ToString())
}

func rueidisStrings(ctx context.Context, r rueidis.Client) {
	equal("OK", rueidisText(ctx, r, "SET", "s", "v"))
	equal("v", rueidisText(ctx, r, "GET", "s"))
	equal("OK", rueidisText(ctx, r, "SETEX", "s", 100, "w"))
	equal(true, get(r.Do(ctx, r.B().Ttl().Key("s").Build()).AsInt64()) > 0)
	equal(1, get(r.Do(ctx, r.B().Incr().Key("n").Build()).AsInt64()))
	equal(42, get(r.Do(ctx, r.B().Incrby().Key("n").Increment(41).Build()).AsInt64()))
	equal(true, get(r.Do(ctx, r.B().Expire().Key("n").Seconds(50).Build()).AsBool()))
	equal(true, get(r.Do(ctx, r.B().Pttl().Key("n").Build()).AsInt64()) > 0)
	equal([]string{"w", "", "42"}, get(r.Do(ctx, r.B().Mget().Key("s", "none", "n").Build()).AsStrSlice()))
	equal(2, get(r.Do(ctx, r.B().Del().Key("s", "n", "none").Build()).AsInt64()))
}

func rueidisNulls(ctx context.Context, r rueidis.Client) {
	for _, command := range [][]any{{"GET", "none"}, {"ZSCORE", "none", "m"}, {"SET", "none", "v", "XX"}} {
		_, err := rueidisCall(ctx, r)(command...)
		equal(true, rueidis.IsRedisNil(err))
	}
	equal(-2, get(r.Do(ctx, r.B().Ttl().Key("none").Build()).AsInt64()))
}

func rueidisZset(ctx context.Context, r rueidis.Client) {
	equal(any(int64(3)), get(rueidisCall(ctx, r)("ZADD", "z", 1, "a", 2.5, "b", "+inf", "c")))
	pairs := get(r.Do(ctx, r.B().Zrange().Key("z").Min("0").Max("-1").Withscores().Build()).AsZScores())
	equal("[{a 1} {b 2.5} {c +Inf}]", fmt.Sprint(pairs))
	equal(2.5, get(r.Do(ctx, r.B().Zscore().Key("z").Member("b").Build()).AsFloat64()))
	equal(2.75, get(r.Do(ctx, r.B().Zincrby().Key("z").Increment(0.25).Member("b").Build()).AsFloat64()))
	equal(rueidis.ZScore{Member: "a", Score: 1}, get(r.Do(ctx, r.B().Zpopmin().Key("z").Build()).AsZScore()))
}

func rueidisPipeline(ctx context.Context, r rueidis.Client) {
	commands := make(rueidis.Commands, 1000)
	for i := range commands {
		commands[i] = r.B().Incr().Key("p").Build()
	}
	for i, reply := range r.DoMulti(ctx, commands...) {
		equal(int64(i+1), get(reply.AsInt64()))
	}
}

func rueidisTransaction(ctx context.Context, r rueidis.Client) {
	must(r.Dedicated(func(c rueidis.DedicatedClient) error {
		set, incr := c.B().Set().Key("t").Value("1").Build(), c.B().Incr().Key("t").Build()
		replies := c.DoMulti(ctx, c.B().Multi().Build(), set, incr, c.B().Exec().Build())
		equal("[OK 2]", fmt.Sprint(get(replies[3].ToAny())))
		must(c.Do(ctx, c.B().Watch().Key("t").Build()).Error())
		equal("OK", rueidisText(ctx, r, "SET", "t", 9))
		replies = c.DoMulti(ctx, c.B().Multi().Build(), c.B().Set().Key("t").Value("10").Build(), c.B().Exec().Build())
		equal(true, rueidis.IsRedisNil(replies[2].Error()))
		return nil
	}))
	equal("9", rueidisText(ctx, r, "GET", "t"))
}

func rueidisSlidingLog(ctx context.Context, r rueidis.Client) {
	for i := range 4 {
		now := 1000 + i
		replies := r.DoMulti(ctx, r.B().Multi().Build(),
			rueidisCommand(r, "ZREMRANGEBYSCORE", "log", 0, now-2), rueidisCommand(r, "ZCARD", "log"),
			rueidisCommand(r, "ZADD", "log", now, now), rueidisCommand(r, "EXPIRE", "log", 60), r.B().Exec().Build())
		equal([]int64{int64(max(0, min(1, i-1))), int64(min(i, 1)), 1, 1}, get(replies[5].AsIntSlice()))
	}
}

func rueidisScan(ctx context.Context, r rueidis.Client) {
	commands := make(rueidis.Commands, 5000)
	for i := range commands {
		commands[i] = r.B().Set().Key(fmt.Sprint("scan:", i)).Value("v").Build()
	}
	for _, reply := range r.DoMulti(ctx, commands...) {
		must(reply.Error())
	}
	seen := map[string]bool{}
	for cursor := uint64(0); ; {
		page := get(r.Do(ctx, r.B().Scan().Cursor(cursor).Match("scan:*").Count(100).Build()).AsScanEntry())
		for _, key := range page.Elements {
			seen[key] = true
		}
		if cursor = page.Cursor; cursor == 0 {
			break
		}
	}
	equal(5000, len(seen))
}

func rueidisErrors(ctx context.Context, r rueidis.Client) {
	call := rueidisCall(ctx, r)
	get(call("ZADD", "z", 1, "a"))
	_, err := call("INCR", "z")
	refused(err, "WRONGTYPE Operation against a key holding the wrong kind of value")
	_, isRedis := rueidis.IsRedisErr(err)
	equal(true, isRedis)
	get(call("SET", "s", "word"))
	_, err = call("INCR", "s")
	refused(err, "value is not an integer or out of range")
	throttleError(call)
	equal("PONG", rueidisText(ctx, r, "PING"))
}

func rueidisInfo(ctx context.Context, r rueidis.Client) {
	must(r.Dedicated(func(c rueidis.DedicatedClient) error {
		must(c.Do(ctx, c.B().ClientSetname().ConnectionName("tester").Build()).Error())
		equal("tester", get(c.Do(ctx, c.B().ClientGetname().Build()).ToString()))
		equal(true, strings.Contains(get(c.Do(ctx, c.B().ClientInfo().Build()).ToString()), " name=tester "))
		equal(true, strings.Contains(rueidisText(ctx, r, "CLIENT", "LIST"), " name=tester "))
		return nil
	}))
	equal(true, strings.Contains(rueidisText(ctx, r, "INFO"), "redis_version:7."))
}

func rueidisBinary(ctx context.Context, r rueidis.Client) {
	key, value := binaryPair()
	must(r.Do(ctx, r.B().Set().Key(key).Value(value).Build()).Error())
	equal(true, get(r.Do(ctx, r.B().Get().Key(key).Build()).ToString()) == value)
	equal([]string{key}, get(r.Do(ctx, r.B().Keys().Pattern("*").Build()).AsStrSlice()))
}

func rueidisReconnect(ctx context.Context, r rueidis.Client) {
	id := func() int64 { return get(r.Do(ctx, r.B().ClientId().Build()).AsInt64()) }
	killer := redigoDial(addr)
	defer func() { _ = killer.Close() }()
	old := id()
	equal(any(int64(1)), get(killer.Do("CLIENT", "KILL", "ID", old)))
	until(func() bool { return r.Do(ctx, r.B().Ping().Build()).Error() == nil })
	equal(false, old == id())
}

// rueidisCaching reads through the client's cache, which the server must invalidate for each way a key changes.
func rueidisCaching(ctx context.Context, r rueidis.Client) {
	other := redigoDial(addr)
	defer func() { _ = other.Close() }()
	read := func() rueidis.RedisResult { return r.DoCache(ctx, r.B().Get().Key("c").Cache(), time.Minute) }
	writes := []struct{ command, want string }{
		{"SET c 1", "1"}, {"SET c 2", "2"}, {"INCR c", "3"}, {"DEL c", ""}, {"MSET c 4 d 5", "4"}, {"RENAME d c", "5"}, {"FLUSHALL", ""},
	}
	for _, write := range writes {
		words := strings.Fields(write.command)
		args := make([]any, len(words))
		for i, word := range words {
			args[i] = word
		}
		get(redigoCall(other)(args...))
		until(func() bool { got, _ := read().ToString(); return got == write.want })
		equal(true, read().IsCacheHit())
	}
	equal("OK", rueidisText(ctx, r, "SET", "c", "own"))
	until(func() bool { got, _ := read().ToString(); return got == "own" })
}

func rueidisCluster(ctx context.Context, r rueidis.Client) {
	equal(1, len(r.Nodes()))
	for _, node := range r.Nodes() {
		must(node.Do(ctx, node.B().Flushall().Build()).Error())
		equal(int64(15891), get(node.Do(ctx, node.B().ClusterKeyslot().Key("{t}a").Build()).AsInt64()))
		refused(node.Do(ctx, node.B().Arbitrary("RENAME", "a", "b").Build()).Error(), "CROSSSLOT Keys in request don't hash to the same slot")
	}
	equal("OK", rueidisText(ctx, r, "SET", "a", 1))
	equal("1", rueidisText(ctx, r, "GET", "a"))
	must(r.Do(ctx, r.B().Mset().KeyValue().KeyValue("{t}a", "1").KeyValue("{t}b", "2").Build()).Error())
	equal([]string{"1", "2"}, get(r.Do(ctx, r.B().Mget().Key("{t}a", "{t}b").Build()).AsStrSlice()))
	commands := make(rueidis.Commands, 1000)
	for i := range commands {
		commands[i] = r.B().Incr().Key(fmt.Sprint("p", i%7)).Build()
	}
	for i, reply := range r.DoMulti(ctx, commands...) {
		equal(int64(i/7+1), get(reply.AsInt64()))
	}
	clusterThrottle(rueidisCall(ctx, r))
}
