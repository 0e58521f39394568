package main

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

func goRedis(ctx context.Context) {
	for _, protocol := range []int{3, 2} {
		options := redis.Options{Addr: addr}
		if protocol == 2 {
			options.Protocol = 2
		}
		r := redis.NewClient(&options)
		checks := []struct {
			name string
			run  func(context.Context, *redis.Client)
		}{
			{"ping", func(ctx context.Context, r *redis.Client) { equal("PONG", get(r.Ping(ctx).Result())) }},
			{"strings", goRedisStrings}, {"nulls", goRedisNulls}, {"zset", goRedisZset}, {"pipeline", goRedisPipeline},
			{"transaction", goRedisTransaction}, {"sliding log", goRedisSlidingLog}, {"scan", goRedisScan},
			{"throttle", goRedisThrottle}, {"errors", goRedisErrors}, {"client", goRedisConn}, {"binary", goRedisBinary},
			{"reconnect", goRedisReconnect}, {"select", goRedisSelect}, {"auth", goRedisAuth}, {"cluster", goRedisCluster},
		}
		for _, c := range checks {
			check(fmt.Sprintf("go-redis RESP%d %s", protocol, c.name), func() {
				must(r.FlushAll(ctx).Err())
				c.run(ctx, r)
			})
		}
		_ = r.Close()
	}
}

func goRedisStrings(ctx context.Context, r *redis.Client) {
	equal("OK", get(r.Set(ctx, "s", "v", 0).Result()))
	equal("v", get(r.Get(ctx, "s").Result()))
	equal("OK", get(r.SetEx(ctx, "s", "w", 100*time.Second).Result()))
	equal(true, get(r.TTL(ctx, "s").Result()) > 0)
	equal(1, get(r.Incr(ctx, "n").Result()))
	equal(42, get(r.IncrBy(ctx, "n", 41).Result()))
	equal(true, get(r.Expire(ctx, "n", 50*time.Second).Result()))
	equal(true, get(r.PTTL(ctx, "n").Result()) > 0)
	equal([]any{"w", nil, "42"}, get(r.MGet(ctx, "s", "none", "n").Result()))
	equal(2, get(r.Del(ctx, "s", "n", "none").Result()))
}

func goRedisNulls(ctx context.Context, r *redis.Client) {
	equal[error](redis.Nil, r.Get(ctx, "none").Err())
	equal[error](redis.Nil, r.ZScore(ctx, "none", "m").Err())
	equal[error](redis.Nil, r.SetArgs(ctx, "none", "v", redis.SetArgs{Mode: "XX"}).Err())
	equal(-2, get(r.TTL(ctx, "none").Result()))
}

func goRedisZset(ctx context.Context, r *redis.Client) {
	members := []redis.Z{{Score: 1, Member: "a"}, {Score: 2.5, Member: "b"}, {Score: math.Inf(1), Member: "c"}}
	equal(3, get(r.ZAdd(ctx, "z", members...).Result()))
	equal(members, get(r.ZRangeWithScores(ctx, "z", 0, -1).Result()))
	equal(2.5, get(r.ZScore(ctx, "z", "b").Result()))
	equal(2.75, get(r.ZIncrBy(ctx, "z", 0.25, "b").Result()))
	equal([]string{"b"}, get(r.ZRangeByScore(ctx, "z", &redis.ZRangeBy{Min: "(1", Max: "3"}).Result()))
	equal(members[:1], get(r.ZPopMin(ctx, "z").Result()))
}

func goRedisPipeline(ctx context.Context, r *redis.Client) {
	replies := get(r.Pipelined(ctx, func(p redis.Pipeliner) error {
		for range 1000 {
			p.Incr(ctx, "p")
		}
		return nil
	}))
	for i, reply := range replies {
		equal(int64(i+1), reply.(*redis.IntCmd).Val())
	}
	equal(1000, len(replies))
}

func goRedisTransaction(ctx context.Context, r *redis.Client) {
	var n *redis.IntCmd
	get(r.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, "t", 1, 0)
		n = p.Incr(ctx, "t")
		return nil
	}))
	equal(2, n.Val())
	err := r.Watch(ctx, func(tx *redis.Tx) error {
		must(r.Set(ctx, "t", 9, 0).Err())
		_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { return p.Set(ctx, "t", 10, 0).Err() })
		return err
	}, "t")
	equal[error](redis.TxFailedErr, err)
	equal("9", get(r.Get(ctx, "t").Result()))
}

func goRedisSlidingLog(ctx context.Context, r *redis.Client) {
	for i := range 4 {
		now := 1000 + i
		var before *redis.IntCmd
		get(r.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.ZRemRangeByScore(ctx, "log", "0", fmt.Sprint(now-2))
			before = p.ZCard(ctx, "log")
			p.ZAdd(ctx, "log", redis.Z{Score: float64(now), Member: now})
			p.Expire(ctx, "log", time.Minute)
			return nil
		}))
		equal(int64(min(i, 1)), before.Val())
	}
}

func goRedisScan(ctx context.Context, r *redis.Client) {
	get(r.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range 5000 {
			p.Set(ctx, fmt.Sprint("scan:", i), i, 0)
		}
		return nil
	}))
	seen := map[string]bool{}
	it := r.Scan(ctx, 0, "scan:*", 100).Iterator()
	for it.Next(ctx) {
		seen[it.Val()] = true
	}
	must(it.Err())
	equal(5000, len(seen))
}

func goRedisThrottle(ctx context.Context, r *redis.Client) {
	throttle(func(args ...any) (any, error) { return r.Do(ctx, args...).Result() })
}

func goRedisErrors(ctx context.Context, r *redis.Client) {
	must(r.ZAdd(ctx, "z", redis.Z{Score: 1, Member: "a"}).Err())
	refused(r.Incr(ctx, "z").Err(), "WRONGTYPE Operation against a key holding the wrong kind of value")
	must(r.Set(ctx, "s", "word", 0).Err())
	refused(r.Incr(ctx, "s").Err(), "ERR value is not an integer or out of range")
	throttleError(func(args ...any) (any, error) { return r.Do(ctx, args...).Result() })
	equal("PONG", get(r.Ping(ctx).Result()))
}

func goRedisConn(ctx context.Context, r *redis.Client) {
	c := r.Conn()
	defer func() { must(c.Close()) }()
	must(c.ClientSetName(ctx, "tester").Err())
	equal("tester", get(c.ClientGetName(ctx).Result()))
	equal("tester", get(c.ClientInfo(ctx).Result()).Name)
	equal(true, strings.Contains(get(r.ClientList(ctx).Result()), " name=tester "))
	equal(true, strings.Contains(get(r.Info(ctx).Result()), "redis_version:7."))
}

func goRedisBinary(ctx context.Context, r *redis.Client) {
	key, value := binaryPair()
	must(r.Set(ctx, key, value, 0).Err())
	equal(true, get(r.Get(ctx, key).Result()) == value)
	equal([]string{key}, get(r.Keys(ctx, "*").Result()))
}

func goRedisReconnect(ctx context.Context, r *redis.Client) {
	options := *r.Options()
	options.PoolSize = 1
	me := redis.NewClient(&options)
	defer func() { must(me.Close()) }()
	id := get(me.ClientID(ctx).Result())
	equal(1, get(r.ClientKillByFilter(ctx, "ID", fmt.Sprint(id)).Result()))
	equal("PONG", get(me.Ping(ctx).Result()))
	equal(false, id == get(me.ClientID(ctx).Result()))
}

func goRedisSelect(ctx context.Context, r *redis.Client) {
	options := *r.Options()
	options.DB = 5
	five := redis.NewClient(&options)
	defer func() { must(five.Close()) }()
	must(five.Set(ctx, "five", 1, 0).Err())
	equal[error](redis.Nil, r.Get(ctx, "five").Err())
	equal(5, get(five.ClientInfo(ctx).Result()).DB)
}

func goRedisAuth(ctx context.Context, r *redis.Client) {
	options := *r.Options()
	options.Addr = authAddr
	no := redis.NewClient(&options)
	defer func() { must(no.Close()) }()
	refused(no.Ping(ctx).Err(), "NOAUTH Authentication required.")
	options.Password, options.ClientName = password, "me"
	yes := redis.NewClient(&options)
	defer func() { must(yes.Close()) }()
	equal("me", get(yes.ClientGetName(ctx).Result()))
}

func goRedisCluster(ctx context.Context, r *redis.Client) {
	c := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{clusterAddr}, Protocol: r.Options().Protocol})
	defer func() { must(c.Close()) }()
	must(c.ForEachMaster(ctx, func(ctx context.Context, m *redis.Client) error { return m.FlushAll(ctx).Err() }))
	must(c.Set(ctx, "a", 1, 0).Err())
	equal("1", get(c.Get(ctx, "a").Result()))
	must(c.MSet(ctx, "{t}a", 1, "{t}b", 2).Err())
	equal([]any{"1", "2"}, get(c.MGet(ctx, "{t}a", "{t}b").Result()))
	equal(15891, get(c.ClusterKeySlot(ctx, "{t}a").Result()))
	refused(c.Rename(ctx, "a", "b").Err(), "CROSSSLOT Keys in request don't hash to the same slot")
	get(c.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range 1000 {
			p.Incr(ctx, fmt.Sprint("p", i%7))
		}
		return nil
	}))
	equal(10, get(c.DBSize(ctx).Result()))
	get(c.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Incr(ctx, "{t}a")
		return p.Incr(ctx, "{t}b").Err()
	}))
	clusterThrottle(func(args ...any) (any, error) { return c.Do(ctx, args...).Result() })
	equal(1, len(get(c.ClusterShards(ctx).Result())))
	equal(16383, get(c.ClusterSlots(ctx).Result())[0].End)
	equal(true, strings.Contains(get(c.ClusterNodes(ctx).Result()), "myself,master"))
	equal(true, strings.Contains(get(c.ClusterInfo(ctx).Result()), "cluster_state:ok"))
	equal([]int64{1, 2}, []int64{int64(get(c.Command(ctx).Result())["get"].FirstKeyPos), int64(get(c.Command(ctx).Result())["mset"].StepCount)})
}
