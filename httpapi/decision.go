package httpapi

import (
	"strconv"

	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/resp"
)

// decision is the decision of a limiter or of rules, as the body of a response has it. All times are in
// seconds.
type decision struct {
	Allowed  bool
	decides  *limiters.Answer // of the limit that decides; nil if no limiter has decided
	Hold     *int64           // milliseconds; of CL.PACE
	Policies []rules.Policy
	hidden   bool   // only rules with SHADOW were asked: clients should not know them
	body     []byte // memory
}

// decide sets the decision to the answer of the limit that decides.
func (d *decision) decide(a *limiters.Answer) { d.Allowed, d.decides = !a.Limited, a }

// inSeconds converts the times of an answer from nanoseconds.
func inSeconds(a *limiters.Answer) *limiters.Answer {
	a.RetryAfter, a.ResetAfter = limiters.Seconds(a.RetryAfter), limiters.Seconds(a.ResetAfter)
	return a
}

// readAnswer reads the five integers of a limiter.
func readAnswer(r *resp.Reply) *limiters.Answer {
	limited := r.Int() != 0
	return &limiters.Answer{
		Limited: limited, Limit: r.Int(), Remaining: r.Int(), RetryAfter: r.Int(), ResetAfter: r.Int(),
	}
}

// readOne reads the reply of a limiter, which has one limit and perhaps a hold.
func (d *decision) readOne(r *resp.Reply, name string, window int64) {
	n := r.Int()
	a := readAnswer(r)
	d.decide(a)
	d.Policies = []rules.Policy{{Rule: []byte(name), Window: window, Answer: *a}}
	if n > 5 {
		hold := r.Int()
		d.Hold = &hold
	}
}

// readReserved reads the reply of CL.RESERVE with EXPLAIN, or that of CL.SETTLE. If a scope refuses, it
// names the policy.
func (d *decision) readReserved(r *resp.Reply, rule string) {
	n := r.Int()
	a := readAnswer(r)
	d.decide(a)
	d.Policies = []rules.Policy{{Rule: []byte(rule), Answer: *a}}
	if n > 5 {
		d.Policies[0].Scope = r.Text()
	}
}

// readAll reads the reply of CL.MTHROTTLE or CL.MWINDOW.
func (d *decision) readAll(r resp.Reply, limiter string, windows []int64) {
	r.Int() // the number of elements
	allowed := r.Int() == 0
	r.Int() // the first limit that refuses
	for i, window := range windows {
		r.Int() // the number of elements
		a := readAnswer(&r)
		if i == 0 || a.Tighter(d.decides) {
			d.decide(a)
		}
		d.Policies = append(d.Policies, rules.Policy{
			Rule: []byte(limiter), Kind: ":" + strconv.Itoa(i+1), Window: window, Answer: *a,
		})
	}
	d.Allowed = allowed
}
