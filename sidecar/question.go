package sidecar

import (
	"bytes"
	"strconv"
	"strings"

	"cellserver/internal/decimal"
	"cellserver/limiters"
	"cellserver/limiters/rules"
)

// reader reads a reply in RESP2 element by element.
type reader struct {
	rest  []byte
	short bool // it had fewer elements
}

// line returns the next line without its type.
func (r *reader) line() []byte {
	r.short = r.short || len(r.rest) == 0
	head, rest, _ := bytes.Cut(r.rest, []byte("\r\n"))
	r.rest = rest
	return head[min(1, len(head)):]
}

// int reads a number, or the length of an array or a string.
func (r *reader) int() int64 {
	n, _ := decimal.Parse(r.line())
	return n
}

// text reads a string.
func (r *reader) text() string {
	n := min(max(0, int(r.int())), len(r.rest))
	text := string(r.rest[:n])
	r.rest = r.rest[min(n+2, len(r.rest)):]
	return text
}

// answer reads the five numbers of a limiter.
func (r *reader) answer() (a limiters.Answer) {
	a.Limited, a.Limit, a.Remaining = r.int() == 1, r.int(), r.int()
	a.RetryAfter, a.ResetAfter = nanos(r.int()), nanos(r.int())
	return a
}

// nanos converts milliseconds. Negative times have a meaning of their own.
func nanos(ms int64) int64 {
	if ms < 0 {
		return ms
	}
	return ms * 1e6
}

// millis is the inverse of nanos.
func millis(ns int64) int64 {
	if ns < 0 {
		return ns
	}
	return ns / 1e6
}

// readQuestion reads the reply of CL.MCHECK with EXPLAIN and MS to its question. It reports false if the
// reply is another one.
func readQuestion(reply []byte, q *rules.Question) bool {
	r := &reader{rest: reply}
	n := int(r.int()) - 2
	r.int()
	q.Refusing, q.Shadow = int(r.int()), true
	for i, pair := 0, 0; i < n; i++ {
		if r.int() < 9 || pair >= len(q.Pairs) {
			return false
		}
		if a := r.answer(); i == 0 || a.Tighter(&q.Tightest) {
			q.Tightest = a
		}
		r.text() // the scope and the text of the tightest limit
		r.text()
		rule, _, _ := bytes.Cut(q.Pairs[pair], []byte("@"))
		begin := len(q.Policies)
		pair += 2 * readPolicies(r, rule, q)
		shadow := r.int() == 1
		for j := begin; j < len(q.Policies); j++ {
			q.Policies[j].Shadow = shadow
		}
		q.Shadow = q.Shadow && shadow
	}
	return n > 0 && !r.short
}

// readPolicies reads the limits of one rule, and returns how many scopes it has.
func readPolicies(r *reader, rule []byte, q *rules.Question) (scopes int) {
	begin := len(q.Policies)
	seen := map[string]int{} // how many limits a scope has, and how many of a kind
	for limits := int(r.int()); len(q.Policies)-begin < limits && len(r.rest) > 0; {
		r.int()
		scope, text := r.text(), r.text()
		p := rules.Policy{Rule: rule, Scope: scope, Answer: r.answer(), Window: nanos(r.int())}
		r.text() // where it comes from
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(text), "cl."), " ")
		if p.Kind = ":" + name; seen[scope+p.Kind] > 0 {
			p.Kind += ":" + strconv.Itoa(seen[scope+p.Kind]+1)
		}
		seen[scope+":"+name]++
		if seen[scope+"\n"]++; seen[scope+"\n"] == 1 {
			scopes++
		}
		q.Policies = append(q.Policies, p)
	}
	for i := begin; i < len(q.Policies); i++ {
		if p := &q.Policies[i]; seen[p.Scope+"\n"] == 1 {
			p.Kind = ""
		}
	}
	return scopes
}
