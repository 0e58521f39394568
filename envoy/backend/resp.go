package backend

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cellserver/envoy/count"

	"github.com/redis/rueidis"
)

// overRESP counts in a server that speaks RESP.
type overRESP struct {
	planner
	*connection
	timeout time.Duration
}

// OverRESP counts in a server that speaks RESP. The server need not run yet.
func OverRESP(o RESPOptions) (count.Counter, error) {
	if _, err := o.clientOption(); err != nil {
		return nil, err
	}
	return newOverRESP(o), nil
}

// newOverRESP is OverRESP for options without an error.
func newOverRESP(o RESPOptions) *overRESP {
	c, _ := o.clientOption()
	b := &overRESP{planner{prefix: o.Prefix, now: o.Now}, newConnection(c), patience}
	if b.now == nil {
		b.now = time.Now
	}
	if o.Timeout > 0 {
		b.timeout = min(o.Timeout, patience)
	}
	return b
}

// Count implements [count.Counter].
func (b *overRESP) Count(ctx context.Context, r count.Request) ([]count.Result, error) {
	s, err := b.store()
	if err != nil {
		return nil, err
	}
	ctx, cancel := inTime(ctx, b.timeout)
	defer cancel()
	plan, err := b.plan(&r, s.tagged.Load())
	switch {
	case err != nil:
		return nil, err
	case !s.engine:
		results := make([]count.Result, len(r.Hits))
		return results, b.countInRedis(ctx, s, &r, plan, results)
	}
	return b.askAll(ctx, &r, plan, b.run)
}

// inTime gives a store four fifths of the time that a caller gives, so that the caller still hears that the store
// does not answer. A caller without a deadline gets another one.
func inTime(ctx context.Context, otherwise time.Duration) (context.Context, context.CancelFunc) {
	if deadline, has := ctx.Deadline(); has {
		otherwise = time.Until(deadline) / 5 * 4
	}
	return context.WithTimeout(ctx, otherwise)
}

// run runs a command in the engine.
func (b *overRESP) run(
	ctx context.Context, r *count.Request, c *command, to []answer,
) (refused bool, err error) {
	s, err := b.store()
	if err != nil {
		return false, err
	}
	reply, err := s.send(ctx, c.args(r))
	if isReply(err, "CROSSSLOT ") { // a server in front of a cluster, which has done nothing
		s.tagged.Store(true)
		b.retag(r, c)
		reply, err = s.send(ctx, c.args(r))
	}
	switch {
	case isReply(err, "unknown command"):
		b.again(s)
		return false, errors.New("the store is another one now: ask again")
	case err != nil:
		return false, explain(err)
	case len(reply.left) != numbersOf(len(to)):
		return false, fmt.Errorf("the store answers %s with %d numbers", c.args(r)[0], len(reply.left))
	}
	return readAnswers(reply.next, c.charge, to), nil
}

// send sends a CL.MWINDOW of words to the node of its first key.
func (s *store) send(ctx context.Context, args []string) (numbers, error) {
	sent := s.client.B().Arbitrary(args[:firstKey]...).Keys(args[firstKey]).Args(args[firstKey+1:]...).Build()
	reply, err := s.client.Do(ctx, sent).ToArray()
	if err != nil {
		return numbers{}, err
	}
	all, err := flatten(reply, make([]int64, 0, numbersOf(len(reply))))
	return numbers{all}, err
}

// numbersOf returns how many numbers are the reply of CL.MWINDOW about some windows.
func numbersOf(windows int) int { return 3 + 6*windows }

// numbers are the integers of a reply and the lengths of its arrays, in their order.
type numbers struct{ left []int64 }

// next returns the next number, 0 after the last.
func (n *numbers) next() int64 {
	if len(n.left) == 0 {
		return 0
	}
	next := n.left[0]
	n.left = n.left[1:]
	return next
}

// flatten appends the numbers of an array.
func flatten(array []rueidis.RedisMessage, to []int64) ([]int64, error) {
	to = append(to, int64(len(array)))
	for i := range array {
		var n int64
		var err error
		if array[i].IsArray() {
			inner, _ := array[i].ToArray()
			to, err = flatten(inner, to)
		} else if n, err = array[i].AsInt64(); err == nil {
			to = append(to, n)
		}
		if err != nil {
			return nil, err
		}
	}
	return to, nil
}

// isReply reports whether an error is an error reply that begins with a text. The library leaves out "ERR
// ".
func isReply(err error, begin string) bool {
	reply, is := rueidis.IsRedisErr(err)
	return is && strings.HasPrefix(reply.Error(), begin)
}

// explain adds to an error what to do.
func explain(err error) error {
	switch {
	case isReply(err, "MOVED "):
		return fmt.Errorf("%w: the store is a cluster: set REDIS_TYPE=CLUSTER", err)
	case isReply(err, "NOAUTH "), isReply(err, "WRONGPASS "):
		return fmt.Errorf("%w: set REDIS_AUTH", err)
	}
	return fmt.Errorf("the store does not answer: %w", err)
}

// Ready implements [count.Counter]. A cellserver may have taken the place of a Redis: copies of this process that
// start later count there by CL.MWINDOW, and so must this one.
func (b *overRESP) Ready() error {
	s, err := b.store()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	if err := s.client.Do(ctx, s.client.B().Ping().Build()).Error(); err != nil {
		return explain(err)
	}
	if !s.engine {
		if engine, _ := hasEngine(ctx, s.client); engine {
			b.again(s)
		}
	}
	return nil
}

// Close implements [count.Counter].
func (b *overRESP) Close() error {
	b.close()
	return nil
}
