package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

// nodes are the addresses of a cluster.
var nodes = strings.Split(os.Getenv("NODES"), ",")

const workers = 4

// isSet reports whether an environment variable has a value.
func isSet(name string) bool { return os.Getenv(name) != "" }

// underFailover calls a client from several workers until standard input ends. Each call prints a line, which
// ../README.md describes.
func underFailover(call func(ctx context.Context, command, key string) (int64, error)) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_, _ = bufio.NewReader(os.Stdin).ReadByte()
		cancel()
	}()
	var working sync.WaitGroup
	for w := range workers {
		working.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				command, key := "INCR", fmt.Sprintf("%s:counter:%d:%d", os.Args[1], w, i%5)
				if i%4 == 3 && !isSet("COUNTERS") {
					command, key = "CL.THROTTLE", fmt.Sprintf("%s:limit:%d", os.Args[1], i/4%10)
				}
				fmt.Printf("%d call %s\n", w, key)
				n, err := call(context.WithoutCancel(ctx), command, key)
				report(w, key, n, err)
			}
		})
	}
	working.Wait()
}

// report prints the outcome of a call, and waits before the next one.
func report(worker int, key string, n int64, err error) {
	if err != nil {
		fmt.Printf("%d error %s %s\n", worker, key, strings.Join(strings.Fields(err.Error()), " "))
		time.Sleep(20 * time.Millisecond)
		return
	}
	fmt.Printf("%d ok %s %d\n", worker, key, n)
	time.Sleep(5 * time.Millisecond)
}

// arguments are what follows the key of a command. The limit of CL.THROTTLE admits 50 actions, and never more.
func arguments(command string) []string {
	if command == "INCR" {
		return nil
	}
	return []string{"49", "1", "1000000"}
}

func goRedisClusterFailover(context.Context) {
	o := redis.ClusterOptions{Addrs: nodes}
	if !isSet("DEFAULTS") {
		// After a lost connection the client keeps to the old leader until it reloads.
		// By default it reloads once a minute.
		o.ClusterStateReloadInterval = 500 * time.Millisecond
		o.DialTimeout, o.ReadTimeout = 500*time.Millisecond, 500*time.Millisecond
	}
	overFailover(redis.NewClusterClient(&o))
}

func goRedisSentinelFailover(context.Context) {
	overFailover(redis.NewFailoverClient(&redis.FailoverOptions{MasterName: "mymaster", SentinelAddrs: nodes}))
}

func overFailover(c interface {
	Do(ctx context.Context, args ...any) *redis.Cmd
}) {
	underFailover(func(ctx context.Context, command, key string) (int64, error) {
		args := []any{command, key}
		for _, arg := range arguments(command) {
			args = append(args, arg)
		}
		reply, err := c.Do(ctx, args...).Result()
		return first(reply, err)
	})
}

// first returns the number of a reply, or the first one of several.
func first(reply any, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	if all, several := reply.([]any); several && len(all) == 5 {
		reply = all[0]
	}
	n, isNumber := reply.(int64)
	if !isNumber {
		return 0, errors.New(fmt.Sprint("wrong reply: ", reply))
	}
	return n, nil
}

func rueidisClusterFailover(context.Context) {
	o := rueidis.ClientOption{InitAddress: nodes}
	if !isSet("DEFAULTS") {
		o.ConnWriteTimeout = 500 * time.Millisecond
		o.Dialer = net.Dialer{Timeout: 500 * time.Millisecond, KeepAlive: 500 * time.Millisecond}
		o.ClusterOption.ShardsRefreshInterval = 500 * time.Millisecond
	}
	c, err := rueidis.NewClient(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	underFailover(func(ctx context.Context, command, key string) (int64, error) {
		reply, err := c.Do(ctx, c.B().Arbitrary(command).Keys(key).Args(arguments(command)...).Build()).ToAny()
		return first(reply, err)
	})
}
