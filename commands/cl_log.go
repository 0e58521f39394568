package commands

import (
	"math"
	"strings"

	"cellserver/internal/decimal"
	"cellserver/internal/exact"
	"cellserver/limiters/slidinglog"
	"cellserver/store"
)

// CL.LOG key limit period [quantity] [GAP seconds] [STRICT] [RESOLUTION seconds] [MS] [PEEK]
// keeps a log of actions, of which limit may happen in any period seconds: exactly, wherever
// that period begins. GAP is the least time between two; with STRICT what is limited is
// logged, too; with RESOLUTION the log has one entry, with a count, for each so many seconds.
//
// A log that is asked with several periods forgets by that of each action which is logged.
//
// The state is a sorted set. A member is the time of the action in Unix nanoseconds, its score
// the same in microseconds. Actions of one nanosecond have a number after it
// ("1700000000123456789-000000001"), an entry of several actions their count
// ("1700000000123456789x3"). Members of any other form count as one action at their score.
//
// Source: https://engineering.classdojo.com/blog/2015/02/06/rolling-rate-limiter/
var _ = register(&Command{
	Name: "cl.log", Arity: -4, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: Limiter,
	Summary:    "Decides whether an action may happen now, by an exact log of those before, and logs it if so.",
	Usage:      "key limit period [quantity] [GAP seconds] [STRICT] [RESOLUTION seconds] [MS] [PEEK]",
	Complexity: "O(log(N)+Q) where N is the length of the log and Q the quantity; with RESOLUTION O(N)",
	Run:        func(c *Call) error { return ask(c, logLimit) },
})

type actionLog struct {
	ordinary
	slidinglog.Log
}

const (
	errNoGap        Error = "ERR gap must be positive"
	errNoResolution Error = "ERR resolution must be positive"
)

func logLimit(a *limiterArgs) (l actionLog, err error) {
	limit, period := a.integer("limit"), a.seconds("period")
	if err = a.finish(optGap | optStrict | optResolution); err != nil {
		return l, err
	}
	gap, resolution := a.value(optGap), a.value(optResolution)
	switch {
	case a.has(optGap) && gap == 0:
		return l, errNoGap
	case a.has(optResolution) && resolution == 0:
		return l, errNoResolution
	}
	l.Log, err = slidinglog.New(limit, period, slidinglog.Options{Gap: gap, Resolution: resolution, Strict: a.has(optStrict)})
	return l, err
}

func (l actionLog) decide(e *store.Entry, a *answer, now, quantity int64) error {
	if err := sortedEntry(e); err != nil {
		return err
	}
	d, err := slidinglog.Decide(l.Log, logEntries{e.Sorted()}, now, quantity)
	if at := e.ExpireAt(); !d.Changed && at != store.NoExpiry {
		// The key may go before this period says so: its last action had a shorter one. It is
		// there until the millisecond after its expiry.
		left := nanos(at) - (now - 1e6)
		d.RetryAfter, d.ResetAfter = min(d.RetryAfter, left), min(d.ResetAfter, left)
	}
	a.set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state = [4]int64{int64(d.Forget), d.Add, int64(bit(d.Shared)), int64(bit(d.Join))}
	return err
}

func (l actionLog) apply(e *store.Entry, a *answer, now int64) {
	forget, add, shared, join := int(a.state[0]), a.state[1], a.state[2] != 0, a.state[3] != 0
	if join {
		last := e.Sorted().Len() - 1
		add = exact.Plus(add, logEntry(e.Sorted().At(last)).Count)
		e.ZRemRange(last, last+1)
	}
	next := nextMember(e.Sorted(), now)
	e.ZRemRange(0, forget)
	score := float64(now / 1000)
	if shared {
		member := decimal.Append(nil, now)
		e.ZAdd(score, decimal.Append(append(member, 'x'), add))
	} else {
		for ; add > 0; next++ {
			if e.ZAdd(score, logMember(now, next)) {
				add--
			}
		}
	}
	e.SetExpiry(expiryAfter(now, a.resetAfter))
}

// logEntries are the entries of a log in a sorted set, nil for none.
type logEntries struct{ set *store.SortedSet }

// Len and At implement [slidinglog.Entries].
func (l logEntries) Len() int {
	if l.set == nil {
		return 0
	}
	return l.set.Len()
}

func (l logEntries) At(i int) slidinglog.Entry { return logEntry(l.set.At(i)) }

// logEntry is what a member of a log says.
func logEntry(it store.Item) slidinglog.Entry {
	const farthest = 9e15 // microseconds: in the year 2255
	micros := int64(min(max(it.Score, 0), farthest))
	t, rest := leadingInt(it.Member)
	if t/1000 != micros {
		return slidinglog.Entry{Time: micros * 1000, Count: 1}
	}
	if len(rest) > 1 && rest[0] == 'x' {
		if n, rest := leadingInt(rest[1:]); n > 0 && rest == "" {
			return slidinglog.Entry{Time: t, Count: n, Shared: true}
		}
	}
	return slidinglog.Entry{Time: t, Count: 1}
}

// leadingInt is the number that a text begins with, -1 for none or one beyond int64, and what
// follows it.
func leadingInt(s string) (n int64, rest string) {
	const digits = 19 // of the largest
	u, i := uint64(0), 0
	for i < len(s) && s[i]-'0' <= 9 {
		u = u*10 + uint64(s[i]-'0')
		i++
	}
	if i == 0 || i > digits || u > math.MaxInt64 {
		return -1, s
	}
	return int64(u), s[i:]
}

// nextMember is the number of the next action of a nanosecond.
func nextMember(z *store.SortedSet, now int64) int {
	if z == nil || z.Len() == 0 {
		return 0
	}
	last := z.At(z.Len() - 1)
	if last.Score < float64(now/1000) {
		return 0
	}
	t, number := leadingInt(last.Member)
	if t != now {
		return 0
	}
	n, _ := leadingInt(strings.TrimPrefix(number, "-"))
	return int(max(n, 0)) + 1
}

// logMember is the n-th member of a nanosecond, in the order of the set.
func logMember(now int64, n int) []byte {
	member := decimal.Append(make([]byte, 0, 32), now)
	if n == 0 {
		return member
	}
	member = append(member, '-')
	for digit := 100_000_000; digit > n; digit /= 10 {
		member = append(member, '0')
	}
	return decimal.Append(member, int64(n))
}
