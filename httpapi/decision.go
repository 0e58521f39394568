package httpapi

import (
	"strconv"

	"cellserver/httpapi/line"
	"cellserver/limiters"
	"cellserver/limiters/rules"
)

// decision is the decision of a limiter or of rules, as the body of a response has it.
type decision struct {
	Allowed  bool
	*numbers        // of the limit that decides; nil if no limiter has decided
	Hold     *int64 // milliseconds; of CL.PACE
	Policies []policy
	hidden   bool    // only rules with SHADOW were asked: clients should not know them
	memory   numbers // of the pointer
	body     []byte  // memory
}

// numbers are those of a limit. Times are in seconds.
type numbers struct {
	Limit     int64  `json:"limit"`
	Remaining int64  `json:"remaining"`
	Retry     *int64 `json:"retry_after"` // nil for none
	Reset     int64  `json:"reset_after"`
}

// policy is one limit of a decision, by the word of the headers.
type policy struct {
	Name string
	numbers
	Window  int64 // seconds; 0 if unknown
	Shadow  bool
	limited bool
}

// numbersOf returns the numbers of an answer whose times are in seconds.
func numbersOf(a *limiters.Answer) numbers {
	if a.RetryAfter == limiters.Never {
		return numbers{Limit: a.Limit, Remaining: a.Remaining, Reset: a.ResetAfter}
	}
	return numbers{a.Limit, a.Remaining, &a.RetryAfter, a.ResetAfter}
}

// decide sets the decision to the answer of the limit that decides. Its times are in seconds.
func (d *decision) decide(a *limiters.Answer) {
	d.memory = numbersOf(a)
	d.Allowed, d.numbers = !a.Limited, &d.memory
}

// add adds a limit with its answer, whose times are in seconds.
func (d *decision) add(name string, window int64, a *limiters.Answer) {
	one := policy{Name: name, numbers: numbersOf(a), Window: window, limited: a.Limited}
	d.Policies = append(d.Policies, one)
}

// takeAnswer takes the answer of rules.
func (d *decision) takeAnswer(q *rules.Question) {
	d.Allowed, d.hidden = q.Refusing < 0, q.Shadow
	d.memory = inSeconds(&q.Tightest)
	d.numbers = &d.memory
	for i := range q.Policies {
		p := &q.Policies[i]
		name := string(p.Rule)
		if p.Scope != "" {
			name += ":" + p.Scope
		}
		d.Policies = append(d.Policies, policy{
			name + p.Kind, inSeconds(&p.Answer), limiters.Seconds(p.Window), p.Shadow, p.Limited,
		})
	}
}

// inSeconds returns the numbers of an answer whose times are in nanoseconds.
func inSeconds(a *limiters.Answer) numbers {
	a.RetryAfter, a.ResetAfter = limiters.Seconds(a.RetryAfter), limiters.Seconds(a.ResetAfter)
	return numbersOf(a)
}

// readAnswer reads the five integers of a limiter.
func readAnswer(r *line.Reply) *limiters.Answer {
	limited := r.Int() != 0
	return &limiters.Answer{
		Limited: limited, Limit: r.Int(), Remaining: r.Int(), RetryAfter: r.Int(), ResetAfter: r.Int(),
	}
}

// readOne reads the reply of a limiter, which has one limit and perhaps a hold.
func (d *decision) readOne(r *line.Reply, name string, window int64) {
	n := r.Int()
	a := readAnswer(r)
	d.decide(a)
	d.add(name, window, a)
	if n > 5 {
		hold := r.Int()
		d.Hold = &hold
	}
}

// readReserved reads the reply of CL.RESERVE with EXPLAIN, or that of CL.SETTLE. If a scope refuses, it
// names the policy.
func (d *decision) readReserved(r *line.Reply, rule string) {
	n := r.Int()
	a := readAnswer(r)
	if n > 5 {
		if scope := r.Text(); scope != "" {
			rule += ":" + scope
		}
	}
	d.decide(a)
	d.add(rule, 0, a)
}

// readAll reads the reply of CL.MTHROTTLE or CL.MWINDOW.
func (d *decision) readAll(r line.Reply, limiter string, windows []int64) {
	r.Int() // the number of elements
	allowed := r.Int() == 0
	r.Int() // the first limit that refuses
	var tightest *limiters.Answer
	for i, window := range windows {
		r.Int() // the number of elements
		a := readAnswer(&r)
		if i == 0 || a.Tighter(tightest) {
			tightest = a
		}
		d.add(limiter+":"+strconv.Itoa(i+1), window, a)
	}
	d.decide(tightest)
	d.Allowed = allowed
}
