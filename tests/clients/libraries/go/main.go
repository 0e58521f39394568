// Command libraries runs rate-limit libraries of Go, as users run them.
package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"github.com/throttled/throttled/v2"
	"github.com/throttled/throttled/v2/store/goredisstore.v9"
	"github.com/ulule/limiter/v3"
	ulule "github.com/ulule/limiter/v3/drivers/store/redis"
)

func main() {
	client := redis.NewClient(&redis.Options{Addr: os.Getenv("ADDR")})
	for _, c := range []struct {
		library, name string
		run           func(context.Context, *redis.Client) error
	}{
		{"redis_rate", "Allow, AllowN, AllowAtMost and Reset", redisRate},
		{"throttled", "GCRA", throttledGCRA},
		{"ulule/limiter", "Get, Peek, Increment and Reset", ululeLimiter},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		err := client.FlushAll(ctx).Err()
		if err == nil {
			err = c.run(ctx, client)
		}
		cancel()
		if err != nil {
			fmt.Printf("FAIL %s %s: %v\n", c.library, c.name, err)
			continue
		}
		fmt.Printf("ok   %s %s\n", c.library, c.name)
	}
}

// differ returns an error unless got is want.
func differ(what string, got, want any) error {
	if reflect.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("%s: got %v, want %v", what, got, want)
}

func redisRate(ctx context.Context, client *redis.Client) error {
	limiter, limit := redis_rate.NewLimiter(client), redis_rate.PerHour(3)
	var got []int
	for range 4 {
		res, err := limiter.Allow(ctx, "user", limit)
		if err != nil {
			return err
		}
		got = append(got, res.Allowed, res.Remaining)
	}
	if err := differ("Allow", got, []int{1, 2, 1, 1, 1, 0, 0, 0}); err != nil {
		return err
	}
	if err := limiter.Reset(ctx, "user"); err != nil {
		return err
	}
	n, err := limiter.AllowN(ctx, "user", limit, 2)
	if err != nil {
		return err
	}
	most, err := limiter.AllowAtMost(ctx, "user", limit, 5)
	if err != nil {
		return err
	}
	return differ("AllowN, AllowAtMost", []int{n.Allowed, most.Allowed}, []int{2, 1})
}

func throttledGCRA(ctx context.Context, client *redis.Client) error {
	store, err := goredisstore.NewCtx(client, "throttled:")
	if err != nil {
		return err
	}
	limiter, err := throttled.NewGCRARateLimiterCtx(store, throttled.RateQuota{MaxRate: throttled.PerHour(1), MaxBurst: 2})
	if err != nil {
		return err
	}
	var got []any
	for range 4 {
		limited, res, err := limiter.RateLimitCtx(ctx, "user", 1)
		if err != nil {
			return err
		}
		got = append(got, limited, res.Remaining)
	}
	return differ("RateLimitCtx", got, []any{false, 2, false, 1, false, 0, true, 0})
}

func ululeLimiter(ctx context.Context, client *redis.Client) error {
	store, err := ulule.NewStore(client)
	if err != nil {
		return err
	}
	l := limiter.New(store, limiter.Rate{Period: time.Hour, Limit: 2})
	var got []any
	for range 3 {
		res, err := l.Get(ctx, "user")
		if err != nil {
			return err
		}
		got = append(got, res.Remaining, res.Reached)
	}
	if err := differ("Get", got, []any{int64(1), false, int64(0), false, int64(0), true}); err != nil {
		return err
	}
	if _, err := l.Reset(ctx, "user"); err != nil {
		return err
	}
	if _, err := l.Increment(ctx, "user", 2); err != nil {
		return err
	}
	peek, err := l.Peek(ctx, "user")
	if err != nil {
		return err
	}
	return differ("Peek", peek.Remaining, int64(0))
}
