package httpapi

import (
	"strconv"
	"strings"

	"cellserver/httpapi/line"
	"cellserver/limiters"
	"cellserver/limiters/rules"
)

// decision is the decision of a limiter or of rules, with the numbers that a response shows.
type decision struct {
	allowed bool
	known   bool // a limiter has decided
	tightest
	limits []limit
	shadow bool   // only rules with SHADOW were asked
	hold   int64  // milliseconds; of CL.PACE
	holds  bool   // there is a hold
	text   []byte // memory for headers and bodies
}

// forget makes the decision ready for another request. It keeps its memory.
func (d *decision) forget() {
	clear(d.limits)
	*d = decision{limits: d.limits[:0], text: d.text[:0]}
}

// tightest are the numbers of the limit that decides. Times are in seconds; retry is -1 for none.
type tightest struct{ limit, remaining, retry, reset int64 }

// limit is one limit of a decision, which headers call a policy.
type limit struct {
	rule, scope string
	kind        string // such as "window"; "" if its rule and its scope are enough for a name
	number      int    // of a further limit of its kind in the scope, from 2
	limited     bool
	shadow      bool
	window      int64 // seconds; 0 if unknown
	tightest
}

func (t *tightest) read(r *line.Reply) (limited bool) {
	limited = r.Int() != 0
	t.limit, t.remaining, t.retry, t.reset = r.Int(), r.Int(), r.Int(), r.Int()
	return limited
}

// tighterThan orders answers as [limiters.Answer] does.
func (t *tightest) tighterThan(limited bool, o *tightest, otherLimited bool) bool {
	switch {
	case limited != otherLimited:
		return limited
	case limited && t.retry != o.retry:
		return o.retry >= 0 && (t.retry < 0 || t.retry > o.retry)
	case t.remaining != o.remaining:
		return t.remaining < o.remaining
	}
	return t.reset > o.reset
}

// readAnswer reads the five integers of a limiter.
func (d *decision) readAnswer(r *line.Reply, policy string, window int64) {
	limited := d.tightest.read(r)
	d.allowed, d.known = !limited, true
	d.limits = append(d.limits, limit{rule: policy, limited: limited, window: window, tightest: d.tightest})
}

// readReserved reads the reply of CL.RESERVE with EXPLAIN, or that of CL.SETTLE. If a scope refuses, it
// names the policy.
func (d *decision) readReserved(r *line.Reply, rule string) {
	n := r.Int()
	d.readAnswer(r, rule, 0)
	if n > 5 {
		d.limits[0].scope = r.Text()
	}
}

// takeChecks takes the decision of rules. pairs are the names and keys of the command, in turn.
func (d *decision) takeChecks(allowed bool, by []*rules.Check, pairs []string) {
	d.allowed, d.known, d.shadow = allowed, true, true
	var tightest limiters.Answer
	for i, one := range by {
		if a := one.Answer(); i == 0 || a.Tighter(&tightest) {
			tightest = a
		}
		d.shadow = d.shadow && one.Shadow()
		name, _, _ := strings.Cut(pairs[0], "@") // without a scope
		d.takeRule(one, name)
		pairs = pairs[2*len(one.Keys):] // a rule has a key for each of its scopes
	}
	d.tightest = numbersOf(&tightest)
}

// takeRule takes the limits of a rule.
func (d *decision) takeRule(from *rules.Check, rule string) {
	begin := len(d.limits)
	for i := range from.Limits() {
		one := from.Explain(i)
		kind, _ := one.Words()
		d.limits = append(d.limits, limit{rule: rule, scope: one.Scope, kind: kind, limited: one.Answer.Limited,
			shadow: from.Shadow(), window: limiters.Seconds(one.Window), tightest: numbersOf(one.Answer)})
	}
	for rest := d.limits[begin:]; len(rest) > 0; {
		n := 1
		for n < len(rest) && rest[n].scope == rest[0].scope {
			n++
		}
		nameKinds(rest[:n])
		rest = rest[n:]
	}
}

// numbersOf returns the numbers of an answer.
func numbersOf(a *limiters.Answer) tightest {
	return tightest{a.Limit, a.Remaining, limiters.Seconds(a.RetryAfter), limiters.Seconds(a.ResetAfter)}
}

// nameKinds makes the names of the limits of a scope different from each other. Before the call, a kind is
// the name of a command, such as CL.WINDOW. After the call it is window, or empty if the scope has one
// limit.
func nameKinds(limits []limit) {
	if len(limits) == 1 {
		limits[0].kind = ""
		return
	}
	for i := range limits {
		one := &limits[i]
		one.kind = strings.TrimPrefix(strings.ToLower(one.kind), "cl.")
		for j := range limits[:i] {
			if limits[j].kind == one.kind {
				one.number = max(one.number, 1) + 1
			}
		}
	}
}

// readAll reads the reply of CL.MTHROTTLE or CL.MWINDOW.
func (d *decision) readAll(r line.Reply, limiter string, windows []int64) {
	r.Int() // the number of elements
	d.allowed, d.known = r.Int() == 0, true
	r.Int() // the first limit that refuses
	decides := false
	for i, window := range windows {
		r.Int() // the number of elements
		one := limit{rule: limiter, kind: strconv.Itoa(i + 1), window: window}
		one.limited = one.read(&r)
		if i == 0 || one.tighterThan(one.limited, &d.tightest, decides) {
			d.tightest, decides = one.tightest, one.limited
		}
		d.limits = append(d.limits, one)
	}
}
