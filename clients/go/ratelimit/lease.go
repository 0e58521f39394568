package ratelimit

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/sidecar/account"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/redis/go-redis/v9"
)

// leases decides about hot keys from units that the server has granted in advance. Package account has the
// rules of that.
type leases struct {
	l      *Limiter
	clock  func() account.Time
	once   bool // the client sends no command twice, so units come back
	seed   maphash.Seed
	shards [16]shard
	ticks  atomic.Bool // a goroutine gives units back
}

// A shard has a part of the accounts.
type shard struct {
	mu    sync.Mutex // guards all of the shard
	table *account.Table
	rules *simplelru.LRU[*account.Account, *leased]
}

// leased is a rule and a key, with the last reply of the rule.
type leased struct {
	question Question
	account  *account.Account
	shard    *shard
	answered chan struct{} // closed when a question of the account is answered
	policy   string
	limits   []limit
	fresh    int64 // when the reply is too old, in microseconds
	asked    int64 // when a decision has last asked for a newer one
}

const (
	longestLease = 1000                  // ms
	tick         = 20 * time.Millisecond // how often units are given back
	freshFor     = 10_000_000            // µs
	askPause     = 100_000               // µs between two questions for a newer reply
)

func newLeases(l *Limiter) *leases {
	s := &leases{l: l, clock: clock, seed: maphash.MakeSeed()}
	if c, ok := l.rdb.(*redis.Client); ok {
		s.once = c.Options().MaxRetries == 0
	}
	most := 1 + l.options.Denials/len(s.shards)
	for i := range s.shards {
		rules, err := simplelru.NewLRU[*account.Account, *leased](most, nil)
		if err != nil {
			panic(err) // most is positive
		}
		table := account.NewTable(account.Settings{Lease: longestLease, Keys: most})
		s.shards[i].table, s.shards[i].rules = table, rules
	}
	return s
}

// mayLease reports whether a lease can decide about an action: one rule without a scope counts it.
func (l *Limiter) mayLease(quantity int64, questions []Question) bool {
	return l.leases != nil && quantity > 0 && len(questions) == 1 && !strings.Contains(questions[0].Rule, "@")
}

// ask decides about an action.
func (s *leases) ask(ctx context.Context, q Question, quantity int64) (Decision, error) {
	e := s.lock(q)
	now := s.clock() // with the lock: a clock read before may be late for the end of a lease
	verdict, answer := e.account.Take(now, quantity)
	if verdict == account.Wait || verdict == account.Pass { // the time-out bounds both together
		var end context.CancelFunc
		ctx, end = context.WithTimeout(context.WithoutCancel(ctx), s.l.options.Timeout)
		defer end()
	}
	for verdict == account.Wait {
		answered, late := e.answered, false
		s.unlock(e, now, verdict)
		select {
		case <-answered:
		case <-ctx.Done():
			late = true
		}
		e.shard.mu.Lock()
		if now = s.clock(); late {
			e.account.Gone(quantity)
			e.shard.mu.Unlock()
			return s.l.noDecision(errLate)
		}
		verdict, answer = e.account.Again(now, quantity)
	}
	if verdict == account.Pass {
		e.shard.mu.Unlock()
		return s.pass(ctx, e, quantity)
	}
	d := e.decision(verdict == account.Local, answer)
	s.unlock(e, now, verdict)
	return d, nil
}

// errLate is the error of an action that has waited for a lease.
var errLate = errors.New("ratelimit: the server did not grant a lease in time")

// lock finds a question, and locks its shard.
func (s *leases) lock(q Question) *leased {
	q.Key = shorten(q.Key)
	var space [128]byte
	name := append(append(append(space[:0], q.Rule...), 0), q.Key...)
	sh := &s.shards[maphash.Bytes(s.seed, name)%uint64(len(s.shards))]
	sh.mu.Lock()
	a := sh.table.Account("", name)
	e, ok := sh.rules.Get(a)
	if !ok {
		e = &leased{question: q, account: a, shard: sh, answered: make(chan struct{})}
		sh.rules.Add(a, e)
	}
	return e
}

// unlock unlocks the shard of a decision, and sends the question that is due.
func (s *leases) unlock(e *leased, now account.Time, verdict account.Verdict) {
	var ask account.Ask
	asks := false
	if verdict != account.Refused {
		ask, asks = e.account.NextAsk(now)
	}
	old := now.Boot >= e.fresh
	if old {
		e.fresh, e.asked = now.Boot+freshFor, now.Boot
	}
	e.shard.mu.Unlock()
	if asks {
		go s.send(e, ask)
	}
	if old {
		go s.refresh(e)
	}
}

// pass asks the rule itself.
func (s *leases) pass(ctx context.Context, e *leased, quantity int64) (Decision, error) {
	departed := s.clock()
	reply, d, err := s.check(ctx, e, quantity)
	if err != nil {
		return s.l.noDecision(err)
	}
	now := s.clock()
	e.shard.mu.Lock()
	defer e.shard.mu.Unlock()
	e.account.Passed(now, departed, quantity, !d.Allowed, answerOf(reply))
	return d, nil
}

// refresh looks at the rule, so that the headers show its limits of today.
func (s *leases) refresh(e *leased) { _, _, _ = s.check(context.Background(), e, 0) }

// check asks the rule, and keeps its limits.
func (s *leases) check(ctx context.Context, e *leased, quantity int64) (reply []any, d Decision, err error) {
	args, _ := command([]Question{e.question}, quantity)
	if reply, err = s.l.do(ctx, 3, args); err != nil {
		return nil, d, err
	}
	d, limits, err := readDecision(reply, args[2:])
	if err != nil {
		return nil, d, err
	}
	now := s.clock()
	e.shard.mu.Lock()
	defer e.shard.mu.Unlock()
	e.policy, e.limits, e.fresh = d.Policy, limits, now.Boot+freshFor
	return reply, d, nil
}

// answerOf returns the answer of the only rule in a reply that readDecision has read.
func answerOf(reply []any) account.Answer {
	rule := reply[2].([]any)
	number := func(i int) int64 { return rule[i].(int64) }
	return account.Answer{
		Limit: number(1), Remaining: number(2), RetryAfter: number(3), ResetAfter: number(4),
	}
}

// decision returns the decision of a lease. Its headers show the limit of the rule that the answer is of. If
// the rule has no such limit any more, there are none, and the rule is asked from time to time.
func (e *leased) decision(allowed bool, a account.Answer) Decision {
	d := Decision{Allowed: allowed}
	if !allowed {
		d.RetryAfter = time.Duration(a.RetryAfter) * time.Millisecond
	}
	var tightest *limit
	for i := range e.limits {
		if l := &e.limits[i]; l.most == a.Limit && (tightest == nil || l.left < tightest.left) {
			tightest = l
		}
	}
	if tightest == nil {
		e.fresh = min(e.fresh, e.asked+askPause)
		return d
	}
	shown := *tightest
	shown.limited, shown.left = !allowed, a.Remaining
	shown.retryAfter, shown.reset = a.RetryAfter, a.ResetAfter
	d.Policy, d.Limit = e.policy, shown.state()
	if !allowed {
		d.Violated = []string{shown.name}
	}
	return d
}

// send sends a question, and gives the account the reply.
func (s *leases) send(e *leased, ask account.Ask) {
	s.startTicks()
	g, err := s.lease(e, &ask)
	e.shard.mu.Lock()
	now := s.clock()
	var refused redis.Error
	switch {
	case err == nil:
		e.account.Granted(now, ask, g)
	case errors.As(err, &refused) && !isLoss(refused):
		e.account.Failed(now, ask)
	default:
		e.account.Lost(now, ask)
	}
	close(e.answered)
	e.answered = make(chan struct{})
	e.shard.mu.Unlock()
}

// losses begin the errors of a server that has no answer for a while, as a sidecar has them.
var losses = []string{
	"BUSY ", "CLUSTERDOWN ", "LOADING ", "MASTERDOWN ", "MOVED ", "NOREPLICAS ", "READONLY ", "TRYAGAIN ",
}

// isLoss reports whether a server has no answer for a while, so that leases go on after a short pause.
func isLoss(err redis.Error) bool {
	return slices.ContainsFunc(losses, func(code string) bool { return redis.HasErrorPrefix(err, code) })
}

// lease asks the server for a lease.
func (s *leases) lease(e *leased, ask *account.Ask) (g account.Grant, err error) {
	args := []any{"CL.LEASE", ask.Want, ask.TTL}
	if s.once && ask.Back.Units > 0 {
		args = append(args, "BACK", ask.Back.Units, ask.Back.At, ask.Back.Ends)
	}
	args = append(args, "CL.CHECK", e.question.Rule, e.question.Key)
	reply, err := s.l.do(context.Background(), int8(len(args)-1), args)
	if err != nil {
		return g, err
	}
	for i, to := range []*int64{
		&g.Units, &g.Limit, &g.Remaining, &g.RetryAfter, &g.ResetAfter, &g.Ends, &g.At,
	} {
		if i >= len(reply) {
			return g, errReply
		}
		var ok bool
		if *to, ok = reply[i].(int64); !ok {
			return g, errReply
		}
	}
	return g, nil
}

// startTicks begins to give units back, until no account holds any.
func (s *leases) startTicks() {
	if s.ticks.CompareAndSwap(false, true) {
		go func() {
			for s.holds() || s.rest() {
				time.Sleep(tick)
				s.giveBack()
			}
		}()
	}
}

// rest ends the ticks. It reports whether they must go on, because an account has begun to hold something.
func (s *leases) rest() bool {
	s.ticks.Store(false)
	return s.holds() && s.ticks.CompareAndSwap(false, true)
}

// holds reports whether an account holds something.
func (s *leases) holds() bool {
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		holds := sh.table.Holds()
		sh.mu.Unlock()
		if holds {
			return true
		}
	}
	return false
}

// giveBack sends the questions that are due without a request.
func (s *leases) giveBack() {
	for i := range s.shards {
		sh := &s.shards[i]
		sh.mu.Lock()
		sh.table.Tick(s.clock(), func(a *account.Account, ask account.Ask) {
			if e, ok := sh.rules.Peek(a); ok {
				go s.send(e, ask)
			}
		})
		sh.mu.Unlock()
	}
}
