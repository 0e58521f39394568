package httpapi

import (
	"strconv"

	"cellserver/httpapi/line"
)

// decision is the reply of a limiter or of rules.
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
	rule, kind string // of a rule with one limit, kind is ""
	limited    bool
	shadow     bool
	window     int64 // seconds; 0 if unknown
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

// readCheck reads the reply of CL.CHECK with LIMITS.
func (d *decision) readCheck(r line.Reply, rule string) {
	limited := d.readRule(&r, rule)
	d.allowed, d.known = !limited, true
}

// readChecks reads the reply of CL.MCHECK with LIMITS.
func (d *decision) readChecks(r line.Reply, rules []string) {
	r.Int() // the number of elements
	d.allowed, d.known = r.Int() == 0, true
	r.Int() // the first rule that refuses
	decides := false
	for i, rule := range rules {
		before, shadow := d.tightest, d.shadow
		limited := d.readRule(&r, rule)
		d.shadow = d.shadow && (i == 0 || shadow)
		if i == 0 || d.tighterThan(limited, &before, decides) {
			decides = limited
		} else {
			d.tightest = before
		}
	}
}

// readRule reads what CL.CHECK with LIMITS says about a rule.
func (d *decision) readRule(r *line.Reply, rule string) (limited bool) {
	r.Int() // the number of elements
	limited = d.tightest.read(r)
	d.shadow = r.Int() != 0
	n := int(r.Int())
	for range n {
		r.Int()
		one := limit{rule: rule, kind: r.Text(), shadow: d.shadow}
		if n == 1 {
			one.kind = ""
		}
		one.limited = one.read(r)
		one.window = r.Int()
		d.limits = append(d.limits, one)
	}
	return limited
}

// readAll reads the reply of CL.MTHROTTLE.
func (d *decision) readAll(r line.Reply, windows []int64) {
	r.Int() // the number of elements
	d.allowed, d.known = r.Int() == 0, true
	r.Int() // the first limit that refuses
	decides := false
	for i, window := range windows {
		r.Int() // the number of elements
		one := limit{rule: "throttle", kind: strconv.Itoa(i + 1), window: window}
		one.limited = one.read(&r)
		if i == 0 || one.tighterThan(one.limited, &d.tightest, decides) {
			d.tightest, decides = one.tightest, one.limited
		}
		d.limits = append(d.limits, one)
	}
}
