package ratelimit

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Decision is the reply of the rules to one action.
type Decision struct {
	Allowed bool
	// RetryAfter is the wait until the same action is allowed. It is 0 for an allowed action, and negative if no wait helps.
	RetryAfter time.Duration
	// Policy and Limit are the values of the headers RateLimit-Policy and RateLimit; "" without a limit to show.
	Policy, Limit string
	// Violated are the names of the policies that refuse.
	Violated []string
}

// RetrySeconds returns the value of Retry-After. It returns false if there is no such header.
func (d Decision) RetrySeconds() (seconds int64, ok bool) {
	return upToSeconds(d.RetryAfter.Milliseconds()), !d.Allowed && d.RetryAfter >= 0
}

// A limit is one limit of a rule, which the headers call a policy. Times are in milliseconds.
type limit struct {
	name, kind, scope                     string
	limited                               bool
	most, left, retryAfter, reset, window int64
}

var errReply = errors.New("ratelimit: the server replied with something else than the answers of rules")

// readDecision reads the reply of CL.MCHECK with EXPLAIN and MS. pairs are the rules and keys of the command.
// It also returns the limits of the last rule.
func readDecision(reply []any, pairs []any) (d Decision, read []limit, err error) {
	defer func() {
		if recover() != nil { // a type or a length that the reply does not have
			d, err = Decision{}, errReply
		}
	}()
	d.Allowed = reply[0].(int64) == 0
	var policies, limits []string
	for _, one := range reply[2:] {
		rule := one.([]any)
		if rule[0].(int64) != 0 {
			d.waitFor(rule[3].(int64))
		}
		all, shadow := rule[7].([]any), rule[8].(int64) != 0
		name, _, _ := strings.Cut(pairs[0].(string), "@") // without a scope
		read = readLimits(name, all)
		pairs = pairs[2*scopes(read):]
		if shadow { // clients should not know of it
			continue
		}
		for _, l := range read {
			policies, limits = append(policies, l.policy()), append(limits, l.state())
			if l.limited {
				d.Violated = append(d.Violated, l.name)
			}
		}
	}
	d.Policy, d.Limit = strings.Join(policies, ", "), strings.Join(limits, ", ")
	return d, read, nil
}

// waitFor makes the wait as long as that of a further rule that refuses. -1 is a refusal that does not end.
func (d *Decision) waitFor(milliseconds int64) {
	wait := time.Duration(min(milliseconds, math.MaxInt64/int64(time.Millisecond))) * time.Millisecond
	if d.RetryAfter >= 0 && (wait < 0 || wait > d.RetryAfter) {
		d.RetryAfter = wait
	}
}

// readLimits reads the limits of a rule, and names them.
func readLimits(rule string, all []any) []limit {
	read := make([]limit, len(all))
	for i, one := range all {
		of := one.([]any)
		kind, _, _ := strings.Cut(strings.ToLower(of[1].(string)), " ")
		read[i] = limit{scope: of[0].(string), kind: strings.TrimPrefix(kind, "cl."), limited: of[2].(int64) != 0,
			most: of[3].(int64), left: of[4].(int64), retryAfter: of[5].(int64), reset: of[6].(int64), window: of[7].(int64)}
	}
	for i := range read {
		read[i].name = nameOf(rule, read, i)
	}
	return read
}

// nameOf returns the name of a policy: "login", "llm:user", or "login:window:2" for a second window.
func nameOf(rule string, all []limit, i int) string {
	l, ofScope, ofKind := all[i], 0, 0
	for j, other := range all {
		if other.scope == l.scope {
			ofScope++
			if j <= i && other.kind == l.kind {
				ofKind++
			}
		}
	}
	name := rule
	if l.scope != "" {
		name += ":" + l.scope
	}
	if ofScope > 1 {
		name += ":" + l.kind
	}
	if ofKind > 1 {
		name += fmt.Sprintf(":%d", ofKind)
	}
	return name
}

// scopes counts the scopes of a rule. The limits of a scope stand together.
func scopes(all []limit) (n int) {
	for i, l := range all {
		if i == 0 || l.scope != all[i-1].scope {
			n++
		}
	}
	return n
}

// maxInteger is the largest integer of a structured field.
const maxInteger = 999_999_999_999_999

// policy returns an element of RateLimit-Policy: "login";q=5;w=60.
func (l *limit) policy() string {
	text := fmt.Sprintf("%q;q=%d", l.name, min(l.most, maxInteger))
	if l.window > 0 {
		text += fmt.Sprintf(";w=%d", upToSeconds(l.window))
	}
	return text
}

// state returns an element of RateLimit: "login";r=4;t=12.
func (l *limit) state() string {
	wait := l.reset
	if l.limited && l.retryAfter >= 0 {
		wait = l.retryAfter
	}
	b := strconv.AppendQuote(make([]byte, 0, 64), l.name)
	b = strconv.AppendInt(append(b, ";r="...), min(max(l.left, 0), maxInteger), 10)
	return string(strconv.AppendInt(append(b, ";t="...), upToSeconds(wait), 10))
}

// upToSeconds rounds milliseconds up to seconds.
func upToSeconds(milliseconds int64) int64 {
	if milliseconds <= 0 {
		return milliseconds
	}
	return (milliseconds-1)/1000 + 1
}
