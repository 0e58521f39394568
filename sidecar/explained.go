package sidecar

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"cellserver/limiters"
	"cellserver/limiters/rules"
)

// explained remembers what the hub has said about each limit of a rule and a key. So a question about them
// can be asked as CL.CHECK, which a lease answers.
type explained struct {
	mu  sync.Mutex // guards all
	all map[string]*explanation
}

// mostExplained is how many explanations are kept before all are forgotten: each counts for a second only.
const mostExplained = 2048

// freshFor is how long an explanation counts, in microseconds. Then the hub gets the whole question again.
const freshFor = 1_000_000

// explanation is what the hub has said, and what has been spent since.
type explanation struct {
	at       int64 // microseconds
	spent    int64
	shadow   bool
	policies []rules.Policy
}

// nameOf returns by which name an explanation is kept. It is "" for a question that only the hub answers: one
// about several rules or scopes, or another quantity than 1.
func nameOf(q *rules.Question) string {
	if len(q.Pairs) != 2 || q.Charge || q.Peek || q.Quantity != 1 || bytes.IndexByte(q.Pairs[0], '@') >= 0 ||
		len(q.Pairs[0])+len(q.Pairs[1]) > longestText {
		return ""
	}
	return string(q.Pairs[0]) + "\x00" + string(q.Pairs[1])
}

// isFresh reports whether CL.CHECK may answer a question.
func (e *explained) isFresh(name string, now int64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	one := e.all[name]
	return one != nil && !one.shadow && now-one.at < freshFor
}

// forget forgets all explanations.
func (e *explained) forget() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = nil
}

// forgetRule forgets the explanations of a rule.
func (e *explained) forgetRule(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.DeleteFunc(e.all, func(of string, _ *explanation) bool {
		return name == rules.Default || strings.HasPrefix(of, name+"\x00")
	})
}

// keep keeps the answer of the hub to a question.
func (e *explained) keep(name string, now int64, q *rules.Question) {
	one := &explanation{at: now, policies: slices.Clone(q.Policies)}
	for i := range one.policies {
		p := &one.policies[i]
		one.shadow = one.shadow || p.Shadow
		p.Rule, p.Scope, p.Kind = nil, strings.Clone(p.Scope), strings.Clone(p.Kind)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.all == nil || len(e.all) >= mostExplained {
		e.all = map[string]*explanation{}
	}
	e.all[name] = one
}

// fill answers a question by the reply to CL.CHECK. It is exact for the limit that decides. For the other
// limits it is the last answer of the hub, less what has been spent since.
func (e *explained) fill(name string, now int64, a limiters.Answer, q *rules.Question) {
	e.mu.Lock()
	defer e.mu.Unlock()
	one := e.all[name]
	if one == nil {
		one = &explanation{policies: make([]rules.Policy, 1)} // forgotten since the question
	}
	q.Tightest, q.Shadow, q.Refusing = a, false, -1
	if a.Limited {
		q.Refusing = 0
	} else {
		one.spent++
	}
	decides := one.decides(now, &a)
	for i, p := range one.policies {
		p.Rule = q.Pairs[0]
		p.Limited, p.RetryAfter = false, limiters.Never
		p.Remaining = max(0, p.Remaining-one.spent)
		p.ResetAfter = max(0, p.ResetAfter-(now-one.at)*1000)
		if i == decides {
			p.Answer = a
		}
		q.Policies = append(q.Policies, p)
	}
}

// decides returns the place of the limit that an answer is of. Of those with its number, it is the one that
// comes back at about the same time.
func (e *explanation) decides(now int64, a *limiters.Answer) (place int) {
	nearest := int64(math.MaxInt64)
	for i := range e.policies {
		p := &e.policies[i]
		off := p.ResetAfter - (now-e.at)*1000 - a.ResetAfter
		if off = max(off, -off); p.Limit == a.Limit && off < nearest {
			place, nearest = i, off
		}
	}
	return place
}
