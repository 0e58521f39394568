package backend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"cellserver/envoy/count"

	"github.com/redis/rueidis"
)

// errEngine is the error of what a Redis does not count.
func errEngine(what string) error {
	return fmt.Errorf("%w: a Redis does not count %s: let REDIS_URL name a cellserver, or leave it out",
		count.ErrUnsupported, what)
}

// countInRedis counts a request in a Redis, as the service of Envoy does: each counter has a key for each
// of its windows. The clock of this process says which window it is. All or none takes two steps: a look,
// and the count if everything fits. Another request may come between them.
func (b *overRESP) countInRedis(
	ctx context.Context, s *store, r *count.Request, plan []command, to []count.Result,
) error {
	if err := onRedis(r); err != nil {
		return err
	}
	now, refused := b.now(), false
	for i := range plan {
		c := &plan[i]
		if !c.charge || refused {
			if err := b.inRedis(ctx, s, r, c, now, false, to); err != nil {
				return err
			}
		}
		for _, one := range c.counters {
			for _, number := range one.hits {
				refused = refused || !c.charge && to[number].Over
			}
		}
		if refused {
			continue
		}
		if err := b.inRedis(ctx, s, r, c, now, true, to); err != nil {
			return err
		}
	}
	return nil
}

// onRedis returns the error of a request that needs the engine.
func onRedis(r *count.Request) error {
	for i := range r.Hits {
		switch h := &r.Hits[i]; {
		case h.GiveBack:
			return errEngine("hits that are given back")
		case h.Algorithm != "" && h.Algorithm != count.FixedWindow:
			return errEngine("by the algorithm " + h.Algorithm)
		}
	}
	return nil
}

// inRedis counts the windows of a command, or only looks at them.
func (b *overRESP) inRedis(
	ctx context.Context, s *store, r *count.Request, c *command, now time.Time, counts bool,
	to []count.Result,
) error {
	var all rueidis.Commands
	ends := make([]time.Time, len(c.counters))
	for i := range c.counters {
		one := &c.counters[i]
		end, err := endOf(&r.Hits[one.hits[0]], now)
		if err != nil {
			return err
		}
		ends[i] = end
		key := one.key + "/" + strconv.FormatInt(end.UnixMilli(), 10)
		if !counts {
			all = append(all, s.client.B().Get().Key(key).Build())
			continue
		}
		lives := end.Sub(now) + time.Second            // the clocks of this process and of the store differ
		quantity := min(one.quantity, math.MaxInt64/2) // no sum overflows that is not above all limits
		all = append(all, s.client.B().Incrby().Key(key).Increment(quantity).Build(),
			s.client.B().Pexpire().Key(key).Milliseconds(lives.Milliseconds()).Build())
	}
	replies := s.client.DoMulti(ctx, all...)
	answers := make([]answer, len(c.counters))
	for i := range c.counters {
		one := &c.counters[i]
		used, err := usedOf(replies, i, counts)
		if err != nil {
			return explain(err)
		}
		answers[i] = answer{remaining: one.limit - used, reset: ends[i].Sub(now)}
	}
	b.results(r, c, !counts, answers, to)
	return nil
}

// usedOf returns the count of a window.
func usedOf(replies []rueidis.RedisResult, i int, counts bool) (int64, error) {
	if !counts {
		used, err := replies[i].AsInt64()
		if rueidis.IsRedisNil(err) {
			return 0, nil
		}
		return used, err
	}
	used, err := replies[2*i].AsInt64()
	if isReply(err, "increment or decrement would overflow") {
		return math.MaxInt64, nil // more than all limits
	}
	return used, errors.Join(err, replies[2*i+1].Error())
}
