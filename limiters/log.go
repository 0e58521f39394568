package limiters

import (
	"bytes"
	"errors"
	"iter"
	"math"

	"cellserver/internal/decimal"
	"cellserver/internal/exact"
	"cellserver/limiters/slidinglog"
	"cellserver/store"
)

// Log is the limiter of CL.LOG. Its key is a sorted set of actions. A member is the time of an
// action in Unix nanoseconds; its score is the same time in microseconds. Several actions of one
// nanosecond have a number after the time ("1700000000123456789-000000001"). An entry for several
// actions has their count ("1700000000123456789x3"). A member of any other form counts as one
// action at its score.
type Log struct {
	plainKey
	slidinglog.Log
}

var (
	errNoGap        = errors.New("gap must be positive")
	errNoResolution = errors.New("resolution must be positive")
)

// ReadLog parses the arguments limit and period and the options GAP, STRICT and RESOLUTION.
func ReadLog(a *Args) (l Log, err error) {
	limit, period := a.Integer("limit"), a.Seconds("period")
	if err = a.Finish(OptGap | OptStrict | OptResolution); err != nil {
		return l, err
	}
	gap, resolution := a.value(OptGap), a.value(OptResolution)
	switch {
	case a.Has(OptGap) && gap == 0:
		return l, errNoGap
	case a.Has(OptResolution) && resolution == 0:
		return l, errNoResolution
	}
	l.Log, err = slidinglog.New(limit, period, slidinglog.Options{Gap: gap, Resolution: resolution, Strict: a.Has(OptStrict)})
	return l, err
}

// Decide implements [Limiter].
func (l Log) Decide(e *store.Entry, a *Answer, now, quantity int64) error {
	if err := CheckSorted(e); err != nil {
		return err
	}
	d, err := slidinglog.Decide(l.Log, entriesOf(e), now, quantity)
	a.setLog(e, &d, now)
	return err
}

// Charge implements [Budget].
func (l Log) Charge(e *store.Entry, a *Answer, now, quantity int64) error {
	if err := CheckSorted(e); err != nil {
		return err
	}
	d, err := slidinglog.Charge(l.Log, entriesOf(e), now, quantity)
	a.setLog(e, &d, now)
	return err
}

// Reserving implements [Limit]. Each reservation is one entry.
func (l Log) Reserving() Budget {
	l.Shared = true
	return l
}

// Mark implements [Budget]. The mark is the resolution, because the resolution determines which entry a
// request joined.
func (l Log) Mark(*Answer) Mark { return Mark{Value: l.Resolution} }

// Settle implements [Budget].
func (l Log) Settle(e *store.Entry, a *Answer, now int64, s *Settlement) error {
	if err := CheckSorted(e); err != nil {
		return err
	}
	d, index, count, err := slidinglog.Settle(l.Log, entriesOf(e), now,
		slidinglog.Settlement{At: s.At, Resolution: s.Value, More: s.more()})
	a.setLog(e, &d, now)
	if index >= 0 {
		a.Changed, a.state = true, [4]int64{int64(index), count, settlesEntry}
	}
	return err
}

// Release implements [Budget].
func (l Log) Release(e *store.Entry, _ int64, ended iter.Seq2[int64, *Settlement]) error {
	if err := CheckSorted(e); err != nil {
		return err
	}
	for _, s := range ended {
		entries := entriesOf(e)
		index := slidinglog.Find(l.Log, entries, slidinglog.Settlement{At: s.At, Resolution: s.Value})
		if index >= 0 {
			settleEntry(e, index, max(entries.At(index).Count-s.Reserved, 0))
		}
	}
	return nil
}

// State implements [Limit].
func (l Log) State(e *store.Entry, now int64) []Field {
	entries := entriesOf(e)
	n := entries.Len()
	live := slidinglog.Live(l.Log, entries, now)
	all := []Field{{"entries", int64(n - live)}, {"oldest", 0}, {"newest", 0}}
	if live < n {
		all[1].Value, all[2].Value = exact.CeilDiv(entries.At(live).Time, 1e6), exact.CeilDiv(entries.At(n-1).Time, 1e6)
	}
	return all
}

// The third number of the state of an answer.
const (
	addsEntries  = 0 // adds an entry for each request
	addsShared   = 1 // adds one entry for all requests
	settlesEntry = 2 // changes the count of one entry
	leasesEntry  = 3 // adds one entry for a lease, at its end
)

// settleEntry gives one entry another count. It removes the entry if the count is 0.
func settleEntry(e *store.Entry, index int, count int64) {
	cursor := e.Sorted().Cursor()
	score, member := cursor.Item(index)
	was := bytes.Clone(member)
	if count > 0 { // first, because a log without entries loses its expiry
		t, _ := leadingInteger(was)
		e.ZAdd(score, decimal.Append(append(decimal.Append(nil, t), 'x'), count))
	}
	e.ZRem(was)
}

// setLog sets the answer of a log.
func (a *Answer) setLog(e *store.Entry, d *slidinglog.Decision, now int64) {
	if at := e.ExpireAt(); !d.Changed && at != store.NoExpiry {
		// The key may expire before this period ends, because the last logged action had a shorter
		// period. The key exists until the millisecond after its expiry.
		left := nanos(at) - (now - 1e6)
		d.RetryAfter, d.ResetAfter = min(d.RetryAfter, left), min(d.ResetAfter, left)
	}
	a.Set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state = [4]int64{int64(d.Forget), d.Add, addsEntries, d.Number}
	switch {
	case d.Join:
		a.state[2], a.state[3] = addsShared, int64(d.At)+1
	case d.Shared:
		a.state[2], a.state[3] = addsShared, 0
	}
}

// Apply implements [Limiter].
func (l Log) Apply(e *store.Entry, a *Answer, now int64) {
	add, forget := a.state[1], int(min(a.state[0], mostForgotten))
	switch a.state[2] {
	case settlesEntry:
		settleEntry(e, int(a.state[0]), add)
		return
	case leasesEntry:
		l.addLease(e, a.state[3], add)
		e.ZRemRange(0, forget)
	case addsShared:
		if join := int(a.state[3]); join > 0 {
			add = exact.Plus(add, entriesOf(e).At(join-1).Count)
			e.ZRemRange(join-1, join)
		}
		e.ZRemRange(0, forget)
		addShared(e, now, add)
	default:
		e.ZRemRange(0, int(min(a.state[0], mostForgotten+add)))
		addEntries(e, now, add, a.state[3])
	}
	e.SetExpiry(expiryAfter(now, a.ResetAfter))
}

// mostForgotten is how many entries a request forgets at most, besides one for each entry of its own. Other
// clients wait meanwhile. The next requests forget the others, which change no answer of theirs.
const mostForgotten = 1000

// addEntries adds an entry for each of the requests of now, from a number on.
func addEntries(e *store.Entry, now, add, number int64) {
	for ; add > 0; number++ {
		if added, _ := e.ZAdd(float64(now/1000), logMember(now, number)); added {
			add--
		}
	}
}

// addLease adds requests of a lease that ends at a time.
func (l Log) addLease(e *store.Entry, until, add int64) {
	entries := entriesOf(e)
	index := slidinglog.Find(l.Log, entries, slidinglog.Settlement{At: until, Resolution: l.Resolution})
	if index >= 0 {
		one := entries.At(index)
		until, add = max(one.Time, until), exact.Plus(add, one.Count)
		e.ZRemRange(index, index+1)
	}
	addShared(e, until, add)
}

// addShared adds a shared entry. It joins the shared entry of the same time, which may stand before the entry
// of a lease. So a settlement finds all of that time in one entry.
func addShared(e *store.Entry, at, add int64) {
	score, same, set := float64(at/1000), []byte(nil), e.Sorted()
	from, to := set.Within(score, score, false, false)
	set.Range(from, to, false, func(_ float64, member []byte) bool {
		if one := logEntry(score, member); one.Shared && one.Time == at {
			same, add = bytes.Clone(member), exact.Plus(add, one.Count)
		}
		return true
	})
	e.ZAdd(score, decimal.Append(append(decimal.Append(nil, at), 'x'), add))
	if same != nil {
		e.ZRem(same)
	}
}

// logEntries are the entries of a log in a sorted set.
type logEntries struct{ store.SortedSet }

func entriesOf(e *store.Entry) logEntries { return logEntries{e.Sorted()} }

// At implements [slidinglog.Entries].
func (l logEntries) At(i int) slidinglog.Entry {
	score, t, member, isText := l.SortedSet.At(i)
	if isText {
		return logEntry(score, member)
	}
	return entryOfOne(score, t)
}

// Range implements [slidinglog.Entries].
func (l logEntries) Range(from, to int, f func(slidinglog.Entry) bool) {
	l.SortedSet.Range(from, to, false, func(score float64, member []byte) bool {
		return f(logEntry(score, member))
	})
}

// entryOfOne returns the entry of one action at a time, which counts only if the score confirms it.
func entryOfOne(score float64, t int64) slidinglog.Entry {
	if micros := wholeMicros(score); t < 0 || t/1000 != micros {
		return slidinglog.Entry{Time: micros * 1000, Count: 1, Number: -1}
	}
	return slidinglog.Entry{Time: t, Count: 1}
}

// logEntry parses a member of a log.
func logEntry(score float64, member []byte) slidinglog.Entry {
	t, rest := leadingInteger(member)
	one := entryOfOne(score, t)
	if one.Time != t || len(rest) < 2 {
		return one
	}
	switch n, behind := leadingInteger(rest[1:]); {
	case rest[0] == '-' && n < 1e9 && len(behind) == 0: // a larger one is not ours
		one.Number = max(n, 0)
	case rest[0] == 'x' && n > 0 && len(behind) == 0:
		one.Count, one.Shared = n, true
	}
	return one
}

// leadingInteger splits a text into the number at its start and the text after it. Without a
// number, or if the number exceeds an int64, n is -1.
func leadingInteger(s []byte) (n int64, rest []byte) {
	const digits = 19 // of the largest int64
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

// logMember returns the n-th member of a nanosecond. Members sort in the order of n.
func logMember(now, n int64) []byte {
	member := decimal.Append(make([]byte, 0, 32), now)
	if n == 0 {
		return member
	}
	member = append(member, '-')
	for digit := int64(100_000_000); digit > n; digit /= 10 {
		member = append(member, '0')
	}
	return decimal.Append(member, n)
}
