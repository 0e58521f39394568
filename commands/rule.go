package commands

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// rule is a named limit: several limiters that decide together, all or none. It is never
// changed; one that is set again is another.
type rule struct {
	name   string
	limits []ruleLimit
	shadow bool // decides and counts, but never limits
	text   string
	counts *ruleCounts
	err    error // why it cannot be asked; nil but for what someone wrote into the key by hand
}

// ruleLimit is one of a rule's limits, and what its state's keys are made of.
type ruleLimit struct {
	limiter
	head, tail string // around a key without braces: "login:{" and "}:throttle"
	tagged     string // after any other: ":login:throttle"
}

// ruleCounts counts what a rule decided, looks left out. It outlives changes of the rule.
type ruleCounts struct{ allowed, limited, shadowed atomic.Int64 }

// Bounds of rules. Together they bound what the reply of CL.RULE LIST, INFO and metrics
// hold.
const (
	mostRules      = 1024
	mostRuleLimits = 8
	mostRuleName   = 64
	mostRuleBytes  = 1024
)

var (
	errRuleName   = Error(fmt.Sprintf("ERR name must be 1 to %d letters, digits, or any of _ - . /", mostRuleName))
	errRuleLimits = Error(fmt.Sprintf("ERR a rule has at most %d limits", mostRuleLimits))
	errRuleBytes  = Error(fmt.Sprintf("ERR a rule has at most %d bytes", mostRuleBytes))
	errMostRules  = Error(fmt.Sprintf("ERR there are at most %d rules", mostRules))
)

// parseRule reads the words of a rule after its name:
// "CL.THROTTLE 15 30 60 AND CL.WINDOW 1000 3600 SHADOW".
func parseRule(name string, words [][]byte) (*rule, error) {
	if !isRuleName(name) {
		return nil, errRuleName
	}
	r := &rule{name: name, text: string(bytes.Join(words, []byte(" ")))}
	if len(r.text) > mostRuleBytes {
		return nil, errRuleBytes
	}
	if last := len(words) - 1; last >= 0 && is(words[last], "shadow") {
		r.shadow, words = true, words[:last]
	}
	for rest := words; rest != nil; {
		words, rest = cutAnd(rest)
		if err := r.add(words); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// cutAnd cuts words at the first AND; after is nil when there is none.
func cutAnd(words [][]byte) (before, after [][]byte) {
	for i, w := range words {
		if is(w, "and") {
			return words[:i], words[i+1:]
		}
	}
	return words, nil
}

// add takes a limit in. Its state is found by the limiter's name and, where a rule has
// several of one limiter, their order: so a limit whose numbers are changed goes on where
// it was, and one that another limiter takes the place of begins anew.
func (r *rule) add(words [][]byte) error {
	l, err := parseLimit(words)
	if err != nil {
		return err
	}
	if len(r.limits) == mostRuleLimits {
		return errRuleLimits
	}
	kind := strings.TrimPrefix(strings.ToLower(string(words[0])), "cl.")
	tail := "}:" + kind
	for n := 2; r.hasTail(tail); n++ {
		tail = "}:" + kind + ":" + strconv.Itoa(n)
	}
	r.limits = append(r.limits, ruleLimit{limiter: l, head: r.name + ":{", tail: tail, tagged: ":" + r.name + tail[1:]})
	return nil
}

func (r *rule) hasTail(tail string) bool {
	for i := range r.limits {
		if r.limits[i].tail == tail {
			return true
		}
	}
	return false
}

// stateKey appends the key under which a limit keeps its state for a key: name:{key}:limiter,
// so that the slot is the key's own. Of a key that has braces, and so may have a hash tag
// already, it is key:name:limiter. No two keys and limits come to the same. tag says whether the
// key can be a hash tag ([canBeTag]).
func (l *ruleLimit) stateKey(to, key []byte, tag bool) []byte {
	if tag {
		to = append(to, l.head...)
		to = append(to, key...)
		return append(to, l.tail...)
	}
	return append(append(to, key...), l.tagged...)
}

// canBeTag reports whether a key in braces is a hash tag.
func canBeTag(key []byte) bool {
	return len(key) > 0 && bytes.IndexByte(key, '{') < 0 && bytes.IndexByte(key, '}') < 0
}

// hasTag reports whether a key has a hash tag, and so the slot of every key that begins
// with it.
func hasTag(key []byte) bool {
	open := bytes.IndexByte(key, '{')
	return open >= 0 && bytes.IndexByte(key[open+1:], '}') > 0
}

func isRuleName(name string) bool {
	if name == "" || len(name) > mostRuleName {
		return false
	}
	for _, c := range []byte(name) {
		letter, digit := 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9'
		if !letter && !digit && strings.IndexByte("_-./", c) < 0 {
			return false
		}
	}
	return true
}
