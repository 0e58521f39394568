package httpapi

import (
	"bytes"
	"strconv"
	"strings"

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

// readReserved reads the reply of CL.RESERVE with EXPLAIN, or that of CL.SETTLE. If a scope refuses, it names the policy.
func (d *decision) readReserved(r *line.Reply, rule string) {
	n := r.Int()
	d.readAnswer(r, rule, 0)
	if n > 5 {
		d.limits[0].scope = r.Text()
	}
}

// readChecks reads the reply of CL.MCHECK with EXPLAIN. pairs are the rules and keys of the command.
func (d *decision) readChecks(r line.Reply, pairs []string) {
	rules := int(r.Int()) - 2
	d.allowed, d.known = r.Int() == 0, true
	r.Int() // the first rule that refuses
	decides := false
	for i, at := 0, 0; i < rules; i++ {
		before, shadow := d.tightest, d.shadow
		limited, scopes := d.readRule(&r, pairs[at])
		at += 2 * scopes // a rule has a pair for each of its scopes
		d.shadow = d.shadow && (i == 0 || shadow)
		if i == 0 || d.tighterThan(limited, &before, decides) {
			decides = limited
		} else {
			d.tightest = before
		}
	}
}

// readRule reads what CL.CHECK with EXPLAIN says about a rule. It returns how many scopes the rule has.
func (d *decision) readRule(r *line.Reply, rule string) (limited bool, scopes int) {
	r.Int() // the number of elements
	limited = d.tightest.read(r)
	r.Bytes() // the scope of the tightest limit
	r.Bytes() // its text
	begin := len(d.limits)
	for range r.Int() {
		r.Int() // the number of elements
		one := limit{rule: rule, scope: r.Text(), kind: kindOf(r.Bytes())}
		one.limited = one.read(r)
		one.window = r.Int()
		r.Bytes() // rule or override
		d.limits = append(d.limits, one)
	}
	d.shadow = r.Int() != 0
	for rest := d.limits[begin:]; len(rest) > 0; scopes++ {
		n := 1
		for n < len(rest) && rest[n].scope == rest[0].scope {
			n++
		}
		nameKinds(rest[:n], d.shadow)
		rest = rest[n:]
	}
	return limited, scopes
}

// kindOf returns the kind of a limit from its text: "CL.WINDOW 5 60" is a window.
func kindOf(text []byte) string {
	name, _, _ := bytes.Cut(text[min(len("CL."), len(text)):], space)
	if kind, ok := kinds[string(name)]; ok {
		return kind
	}
	return strings.ToLower(string(name))
}

// kinds spares the memory for the names of the usual kinds.
var kinds = map[string]string{"THROTTLE": "throttle", "WINDOW": "window", "SLIDING": "sliding", "LOG": "log", "PACE": "pace"}

var space = []byte(" ")

// nameKinds makes the names of the limits of a scope different from each other.
func nameKinds(limits []limit, shadow bool) {
	for i := range limits {
		one := &limits[i]
		one.shadow = shadow
		for j := range limits[:i] {
			if limits[j].kind == one.kind {
				one.number = max(one.number, 1) + 1
			}
		}
	}
	if len(limits) == 1 {
		limits[0].kind = ""
	}
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
