package sidecar

import (
	"bytes"
	"strconv"
	"strings"

	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/resp"
)

// readAnswer reads the five numbers of a limiter.
func readAnswer(r *resp.Reply) (a limiters.Answer) {
	a.Limited, a.Limit, a.Remaining = r.Int() == 1, r.Int(), r.Int()
	a.RetryAfter, a.ResetAfter = nanos(r.Int()), nanos(r.Int())
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
	r := resp.ReplyOf(reply)
	n := int(r.Int()) - 2
	r.Int()
	q.Refusing, q.Shadow = int(r.Int()), true
	for i, pair := 0, 0; i < n; i++ {
		if r.Int() < 9 || pair >= len(q.Pairs) {
			return false
		}
		if a := readAnswer(&r); i == 0 || a.Tighter(&q.Tightest) {
			q.Tightest = a
		}
		r.Text() // the scope and the text of the tightest limit
		r.Text()
		rule, _, _ := bytes.Cut(q.Pairs[pair], []byte("@"))
		begin := len(q.Policies)
		pair += 2 * readPolicies(&r, rule, q)
		shadow := r.Int() == 1
		for j := begin; j < len(q.Policies); j++ {
			q.Policies[j].Shadow = shadow
		}
		q.Shadow = q.Shadow && shadow
	}
	return n > 0 && !r.Short
}

// readPolicies reads the limits of one rule, and returns how many scopes it has.
func readPolicies(r *resp.Reply, rule []byte, q *rules.Question) (scopes int) {
	begin := len(q.Policies)
	seen := map[string]int{} // how many limits a scope has, and how many of a kind
	for limits := int(r.Int()); len(q.Policies)-begin < limits && !r.Short; {
		r.Int()
		scope, text := r.Text(), r.Text()
		p := rules.Policy{Rule: rule, Scope: scope, Answer: readAnswer(r), Window: nanos(r.Int())}
		r.Text() // where it comes from
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
