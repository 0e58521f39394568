package limiters

import (
	"errors"
	"math"
	"strings"

	"cellserver/gcra"
	"cellserver/internal/exact"
	"cellserver/internal/rediserr"
	"cellserver/internal/word"
	"cellserver/limiters/slidinglog"
	"cellserver/store"
)

// Lessor is a limit whose units a client may take in advance, and spend until the end of a lease. The limit
// counts them at the grant, so that no window ever admits more than without leases. Apply stores the
// answer of Lease.
type Lessor interface {
	Limit
	// LongestLease returns how long a lease from now on may last, in nanoseconds. 0 means that there is none.
	LongestLease(e *store.Entry, now int64) (int64, error)
	// Lease decides about a lease until a time, and returns how many of the wanted units it grants. The
	// answer is limited if it grants none, although some are wanted.
	Lease(e *store.Entry, a *Answer, now, until, want int64) (granted int64, err error)
	// Leased returns the time and the mark by which Settle finds the units of a lease.
	Leased(e *store.Entry, l Lease) (at int64, m Mark)
}

// Lease says when units were granted, and until when their holder may spend them. Times are Unix
// nanoseconds.
type Lease struct{ At, Until int64 }

// LongestLease implements [Lessor].
func (r Rate) LongestLease(*store.Entry, int64) (int64, error) { return r.Quota.LongestLease(), nil }

// Lease implements [Lessor].
func (r Rate) Lease(e *store.Entry, a *Answer, now, until, want int64) (granted int64, err error) {
	tat, err := Integer(e)
	if err != nil {
		return 0, err
	}
	length := exact.CeilDiv(until-now, 1e6) * 1e6 // the time of the grant is rounded down
	granted, d, err := r.Quota.Lease(tat, now, length, want)
	a.setRate(d)
	return granted, err
}

// Leased implements [Lessor].
func (r Rate) Leased(_ *store.Entry, l Lease) (at int64, m Mark) {
	return gcra.GivenBack(l.At, l.Until-l.At), r.Mark(nil)
}

// LongestLease implements [Lessor].
func (w FixedWindow) LongestLease(e *store.Entry, now int64) (int64, error) {
	count, err := counter(e)
	return w.Fixed.LongestLease(count, now), err
}

// Lease implements [Lessor].
func (w FixedWindow) Lease(e *store.Entry, a *Answer, now, _, want int64) (granted int64, err error) {
	return grant(w, e, a, now, want)
}

// Leased implements [Lessor].
func (w FixedWindow) Leased(e *store.Entry, l Lease) (at int64, m Mark) {
	count, _ := counter(e)
	return l.At, Mark{IsTime: true, Value: w.EndOf(count, l.At)}
}

// LongestLease implements [Lessor].
func (w SlidingWindow) LongestLease(_ *store.Entry, now int64) (int64, error) {
	return w.Sliding.LongestLease(now), nil
}

// Lease implements [Lessor].
func (w SlidingWindow) Lease(e *store.Entry, a *Answer, now, _, want int64) (granted int64, err error) {
	return grant(w, e, a, now, want)
}

// Leased implements [Lessor].
func (w SlidingWindow) Leased(_ *store.Entry, l Lease) (at int64, m Mark) {
	return l.At, Mark{IsTime: true, Value: w.EndOf(l.At), Period: w.Window()}
}

// grant counts as many of the wanted units as remain in a window.
func grant(l Limiter, e *store.Entry, a *Answer, now, want int64) (granted int64, err error) {
	if err = l.Decide(e, a, now, 0); err != nil {
		return 0, err
	}
	if granted = min(want, a.Remaining); granted == 0 {
		return 0, l.Decide(e, a, now, min(want, 1))
	}
	return granted, l.Decide(e, a, now, granted)
}

// LongestLease implements [Lessor].
func (l Log) LongestLease(*store.Entry, int64) (int64, error) {
	if !l.Leasable() {
		return 0, errLease
	}
	return l.Log.LongestLease(), nil
}

// errLease is the error of a log with GAP or STRICT.
const errLease rediserr.Error = "ERR CL.LOG with GAP or STRICT, or of more than 10000 without RESOLUTION, " +
	"cannot be leased: ask it for each action"

// Lease implements [Lessor].
func (l Log) Lease(e *store.Entry, a *Answer, now, until, want int64) (granted int64, err error) {
	if err := CheckSorted(e); err != nil {
		return 0, err
	}
	d, err := slidinglog.Lease(l.Log, entriesOf(e), now, until, want)
	if a.setLog(e, &d, now); d.Changed {
		a.state[2], a.state[3] = leasesEntry, until
	}
	return d.Add, err
}

// Leased implements [Lessor].
func (l Log) Leased(_ *store.Entry, of Lease) (at int64, m Mark) { return of.Until, l.Mark(nil) }

// LongestLease implements [Lessor].
func (Verdict) LongestLease(*store.Entry, int64) (int64, error) { return math.MaxInt64, nil }

// Lease implements [Lessor].
func (v Verdict) Lease(e *store.Entry, a *Answer, now, _, want int64) (granted int64, err error) {
	if err = v.Decide(e, a, now, want); err != nil || a.Limited {
		return 0, err
	}
	return want, nil
}

// Leased implements [Lessor].
func (Verdict) Leased(*store.Entry, Lease) (at int64, m Mark) { return 0, Mark{} }

// Lessor parses the limit of a command such as CL.WINDOW key 100 60. `name` is its name in lower case, and
// `words` are those after the key. Errors are error replies.
func (a *Args) Lessor(name string, words [][]byte) (Lessor, error) {
	a.Begin(name, words)
	a.inside = "lease"
	l, err := a.lessor(name)
	a.inside = ""
	switch {
	case l == nil && err == nil:
		return nil, rediserr.Error("ERR " + strings.ToUpper(name) + " cannot be leased: use " + useLessors)
	case err != nil:
		return nil, a.Explain(err)
	case a.Has(OptTokens):
		return nil, SyntaxError("a lease has no TOKENS: the argument want says how many")
	}
	return l, nil
}

// lessor parses the limit of a command; nil if it cannot be leased. The arguments are those of the command,
// without a quantity and without options of one request.
func (a *Args) lessor(name string) (Lessor, error) {
	switch name {
	case "cl.log":
		return ReadLog(a)
	case "cl.sliding":
		return ReadSliding(a)
	case "cl.throttle":
		r, err := readRate(a)
		if a.rate == nil || a.rate.(Rate) != r { // a connection mostly leases one limit: it needs memory once
			a.rate = r
		}
		return a.rate.(Lessor), err
	case "cl.window":
		return ReadWindow(a)
	case "gcra":
		return ReadGCRA(a)
	case "throttle":
		return ReadThrottlecrab(a)
	}
	return nil, nil
}

// useLessors names the commands that a client may lease, for errors.
const useLessors = "CL.THROTTLE, CL.WINDOW, CL.SLIDING, CL.LOG, CL.CHECK, GCRA or THROTTLE"

// LeaseRequest asks for units in advance, and gives back units of an earlier lease first.
type LeaseRequest struct {
	Want, TTL int64 // units, and the longest time of the lease in nanoseconds
	Back      int64 // units to give back; 0 for none
	Of        Lease // the lease that they are of
}

// Bounds of a lease.
const (
	mostLeased = 1_000_000_000
	longestTTL = 60_000                      // ms
	latestAt   = math.MaxInt64/1000 - 60*1e6 // µs; a lease of then ends within an int64 of ns
)

// Errors of a lease. They name the argument that is wrong.
var (
	errWant = errors.New("want must be from 0 to 1000000000")
	errTTL  = errors.New("ttl must be from 1 to 60000, in milliseconds")
	errBack = errors.New("n must be from 0 to 1000000000")
	errAt   = errors.New("at must be that of a lease: a Unix time in microseconds")
	errEnds = errors.New("ends must be that of a lease: from 0 to 60000 milliseconds")
)

// ReadLeaseRequest parses the arguments of CL.LEASE before its command: want, ttl, and BACK n at ends.
func ReadLeaseRequest(a *Args) (r LeaseRequest, err error) {
	ttl, granted, ends := int64(0), int64(0), int64(0)
	r.Want, ttl = a.Integer("want"), a.Integer("ttl")
	if word.Is(a.More(), "back") {
		a.rest = a.rest[1:]
		r.Back, granted, ends = a.Integer("n"), a.Integer("at"), a.Integer("ends")
	}
	switch {
	case a.Err != nil:
		err = a.Err
	case r.Want < 0 || r.Want > mostLeased:
		err = errWant
	case ttl < 1 || ttl > longestTTL:
		err = errTTL
	case r.Back < 0 || r.Back > mostLeased:
		err = errBack
	case granted < 0 || granted > latestAt:
		err = errAt
	case ends < 0 || ends > longestTTL:
		err = errEnds
	}
	r.TTL, r.Of = ttl*1e6, LeaseOf(granted, ends)
	return r, a.Explain(err)
}

// More returns the next word, nil after the last one.
func (a *Args) More() []byte {
	if len(a.rest) == 0 {
		return nil
	}
	return a.rest[0]
}

// Left returns how many words are left.
func (a *Args) Left() int { return len(a.rest) }

// mostAge is how old a lease may be that gives units back, in nanoseconds.
const mostAge = 60e9

// Granted is the answer to a request for a lease.
type Granted struct {
	Units    int64
	Returned int64 // units that came back in time
	At       int64 // the time of the grant, in whole Unix microseconds
	Ends     int64 // the milliseconds from the question to the end of the lease; 0 if there is none
	Next     int64 // in how many nanoseconds a lease gets a further unit, if this one got fewer than it wants
}

// LeaseOf returns the lease with a time of its grant and a length, as [Granted] has them.
func LeaseOf(at, ends int64) Lease { return Lease{At: at * 1000, Until: at*1000 + ends*1e6} }

// Begin returns an empty lease of all limits.
func (r *LeaseRequest) Begin(all []Asked, now int64) (g Granted, err error) {
	g.At = now / 1000
	g.Ends, err = r.length(all, now)
	return g, err
}

// Look returns the error of Ask, and changes nothing.
func (g *Granted) Look(all []Asked, now int64) error { return g.decide(all, now, 0) }

// Ask gives the units back, and then asks all limits to fill an empty lease. It grants the least of what they
// grant, and stores what they decide. counted reports whether a limit has counted the lease that units come
// back of. An error changes nothing.
func (r *LeaseRequest) Ask(
	g *Granted, all []Asked, l *Ledger, now int64, counted func(limit int) bool,
) error {
	if r.Back > 0 && r.Of.At <= now && now-r.Of.At <= mostAge {
		err := g.Look(all, now)
		if err == nil {
			g.Returned, err = r.Back, r.giveBack(all, l, now, counted)
		}
		if err != nil {
			return err
		}
	}
	want := r.Want
	if g.Ends == 0 {
		want = 0
	}
	err := g.decide(all, now, want)
	if err == nil && g.Units > 0 {
		ApplyAll(all, now)
	}
	if g.Next = Never; g.Units < want {
		g.Next = g.wait(all, now)
	}
	return err
}

// wait returns in how many nanoseconds all limits grant a unit, Never if one of them never does.
func (g *Granted) wait(all []Asked, now int64) (wait int64) {
	until := LeaseOf(g.At, g.Ends).Until
	wait = Never
	for i := range all {
		a := &all[i]
		last, next := a.Answer, a.Answer
		if g.Units > 0 {
			if _, err := a.Limiter.(Lessor).Lease(&a.Entry, &a.Answer, now, until, 1); err == nil {
				next = a.Answer
			}
			a.Answer = last
		}
		if next.Limited && next.RetryAfter < 0 {
			return Never
		} else if next.Limited {
			wait = max(wait, next.RetryAfter)
		}
	}
	return wait
}

// length returns how many milliseconds a lease may last.
func (r *LeaseRequest) length(all []Asked, now int64) (millis int64, err error) {
	length := r.TTL
	for i := range all {
		from, ok := all[i].Limiter.(Lessor)
		if !ok {
			return 0, errLease
		}
		longest, err := from.LongestLease(&all[i].Entry, now)
		if err != nil {
			return 0, err
		}
		length = min(length, longest)
	}
	return length / 1e6, nil
}

// giveBack gives units of an earlier lease back. So many units may have come back by themselves since the
// grant that it gives back fewer, or none.
func (r *LeaseRequest) giveBack(all []Asked, l *Ledger, now int64, counted func(limit int) bool) error {
	for i := range all {
		a := &all[i]
		from := a.Limiter.(Lessor)
		s := Settlement{Reserved: min(r.Back, a.Answer.Limit)} // no lease has more
		s.At, s.Mark = from.Leased(&a.Entry, r.Of)
		if !counted(i) {
			s.Reserved = 0
		}
		l.Adjust(&s, from)
		if err := from.Settle(&a.Entry, &a.Answer, now, &s); err != nil {
			return err
		}
	}
	ApplyAll(all, now)
	return nil
}

// decide asks all limits for units, and sets those that all of them grant.
func (g *Granted) decide(all []Asked, now, want int64) error {
	until := LeaseOf(g.At, g.Ends).Until
	g.Units = want
	for pass, again := 0, true; again; pass++ { // a limit that grants less makes the others decide once more
		again = false
		for i := range all {
			a := &all[i]
			if pass > 0 && g.Units == 0 && a.Answer.Limited {
				continue // it keeps its refusal
			}
			granted, err := a.Limiter.(Lessor).Lease(&a.Entry, &a.Answer, now, until, g.Units)
			if err != nil {
				return err
			}
			again = again || granted < g.Units && i > 0
			g.Units = min(g.Units, granted)
		}
	}
	return nil
}
