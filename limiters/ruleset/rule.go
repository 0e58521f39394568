package ruleset

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
	"cellserver/internal/word"
	"cellserver/limiters"
)

// Rule is a named limit: several limiters that decide together. A rule never changes; CL.RULE SET
// makes a new rule.
type Rule struct {
	Name   string
	Scopes []Scope          // a rule without SCOPE has one scope without a name
	Shadow bool             // decides and counts, but never limits
	Ledger *limiters.Ledger // of what its TATs count; may be nil
	base   *limiters.Ledger // the stored one that the ledger of a rule of the file came from
	file   bool             // it comes from the rules-file
	text   string
	counts *counts
	Err    error // the reply of CL.CHECK if the text of the rule is wrong: a client wrote the key
}

// Scope has the limits of one key of a request.
type Scope struct {
	Name      string
	Releases  StateName // of the reservations that are given back at their end
	Reset     StateName // of the time of its last reset
	Limits    []Limit
	overrides *overrides // of single keys; nil if there are none
	most      int        // the largest number of limits that a key may have
}

// Limit is one limit of a rule, with the name of the key that holds its state.
type Limit struct {
	limiters.Limit
	StateName
	Reserving limiters.Budget // for a quantity that may be settled later
	ID        uint32          // what reservations call it
	Text      string          // as in CL.RULE SET, without the scope
}

// Source returns where the rule comes from: "key" or "file".
func (r *Rule) Source() string {
	if r.file {
		return "file"
	}
	return "key"
}

// counts counts the decisions of a rule. Requests that look do not count. The counters stay if the
// rule changes.
type counts struct {
	allowed, limited, shadowed atomic.Int64
	recording                  atomic.Pointer[Recording] // while CL.RULE TRY is in use; otherwise nil
}

// Bounds of rules. They bound the replies of CL.RULE LIST, INFO and the metrics.
const (
	MaxRules     = 1024
	MaxLimits    = 8 // of one rule
	MaxNameBytes = 64
)

// NoRule is the reply to a request for an unknown rule.
func NoRule[T string | []byte](name T) error {
	return rediserr.Error("ERR no such rule: " + quote.Word(name))
}

// plain returns the text of an error without its leading code.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "ERR ") }

// Errors of a wrong rule.
var (
	ErrScope    = errNot("scope")
	ErrMixed    = rediserr.Error("ERR either every limit of a rule has a SCOPE, or none")
	ErrName     = errNot("name")
	ErrLimits   = rediserr.Error(fmt.Sprintf("ERR a rule has at most %d limits", MaxLimits))
	ErrMaxRules = rediserr.Error(fmt.Sprintf("ERR there are at most %d rules", MaxRules))
)

// errNot is the error of what is not a name.
func errNot(what string) rediserr.Error {
	const form = "ERR %s must be 1 to %d letters, digits, or any of _ - . /"
	return rediserr.Error(fmt.Sprintf(form, what, MaxNameBytes))
}

// repeat returns the error of a name or of a scope, with what stands in its place.
func repeat[T string | []byte](err error, wrong T) error {
	return rediserr.Error(strings.Replace(err.Error(), " must", " "+quote.Word(wrong)+" must", 1))
}

// Errors of rules that CL.RULE SET refuses. Earlier versions accepted such rules, so stored ones still work.
const (
	ErrDots rediserr.Error = "ERR name must not have . or .. between two slashes or at an end: " +
		"programs remove them from the path of a request"
	// ErrLongLimit is the error of a limit that needs more than 100 years to come back. Times end in the year
	// 2262. With a longer limit, even the first request could have no answer. After charges beyond a limit, a
	// request may still get an error: the quota would not be full again before that year.
	ErrLongLimit rediserr.Error = "ERR period is too long: a limit of a rule must come back within 100 years"
)

const longestLimit = 100 * 365 * 24 * 60 * 60 * 1_000_000_000 // nanoseconds

// Parse parses the words of a rule after its name: "CL.THROTTLE 15 30 60 AND 1000/hour SHADOW".
func Parse(name string, words [][]byte) (*Rule, error) {
	if !isName(name) {
		return nil, repeat(ErrName, name)
	}
	words, err := commandsOf(words, "")
	if err != nil {
		return nil, err
	}
	r := &Rule{Name: name, text: string(bytes.Join(words, space))}
	if len(r.text) > MaxRuleBytes {
		return nil, ErrRuleBytes
	}
	if last := len(words) - 1; last >= 0 && word.Is(words[last], "shadow") {
		r.Shadow, words = true, words[:last]
	}
	for rest := words; rest != nil; {
		words, rest = cutAnd(rest)
		if err := r.addScoped(words); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// addScoped appends a limit that may begin with SCOPE and the name of its scope.
func (r *Rule) addScoped(words [][]byte) error {
	if len(words) == 0 || !word.Is(words[0], "scope") {
		return r.add("", words)
	}
	switch {
	case len(words) < 2:
		return ErrScope
	case !isName(words[1]):
		return repeat(ErrScope, words[1])
	}
	return r.add(string(words[1]), words[2:])
}

// add appends a limit to a scope. A new scope becomes the last one.
func (r *Rule) add(scopeName string, words [][]byte) error {
	if r.limits() == MaxLimits {
		return ErrLimits
	}
	s := r.scope(scopeName)
	if s == nil {
		if len(r.Scopes) > 0 && (scopeName == "") != (r.Scopes[0].Name == "") {
			return ErrMixed
		}
		r.Scopes = append(r.Scopes, Scope{
			Name: scopeName, Releases: NameState(scopeName, ReleaseTail),
			Reset: NameState(scopeName, resetTail),
		})
		s = &r.Scopes[len(r.Scopes)-1]
	}
	return s.add(words)
}

// limits returns the number of limits.
func (r *Rule) limits() (n int) {
	for i := range r.Scopes {
		n += len(r.Scopes[i].Limits)
	}
	return n
}

// ScopeIndex returns the position of the scope of a name, -1 if there is none.
func (r *Rule) ScopeIndex(name string) int {
	for i := range r.Scopes {
		if r.Scopes[i].Name == name {
			return i
		}
	}
	return -1
}

// scope returns the scope of a name, nil if there is none.
func (r *Rule) scope(name string) *Scope {
	if i := r.ScopeIndex(name); i >= 0 {
		return &r.Scopes[i]
	}
	return nil
}

// add appends a limit. The key of its state has the name of the limiter. If a scope has several
// limits of one limiter, the key has their number, too. So a limit keeps its state if its
// parameters change, and loses it if another limiter replaces it.
func (s *Scope) add(words [][]byte) error {
	l, err := limiters.Parse(words)
	if err != nil {
		return err
	}
	kind := strings.TrimPrefix(strings.ToLower(string(words[0])), "cl.")
	tail := "}:" + kind
	for n := 2; s.hasTail(tail); n++ {
		tail = "}:" + kind + ":" + strconv.Itoa(n)
	}
	s.Limits = append(s.Limits, Limit{
		Limit: l, StateName: NameState(s.Name, tail), Reserving: l.Reserving(),
		ID: uint32(HashOf([]byte(s.Name), []byte(tail))), Text: string(bytes.Join(words, []byte(" "))),
	})
	s.most = max(s.most, len(s.Limits))
	return nil
}

// LimitsOf returns the limits of a key. own is true if the key, or a network around it, has limits of its
// own.
func (s *Scope) LimitsOf(key []byte) (limits []Limit, own bool) {
	if s.overrides != nil {
		if o := s.overrides.decides(key); o != nil {
			return o.limits, true
		}
	}
	return s.Limits, false
}

// Kind tells the limit from the others of its scope: ":window", and ":window:2" for the second window.
func (l *Limit) Kind() string { return l.tail[1:] }

// States returns the names of the states that a key may have. They are those of the limits of the scope, of
// its own limits, and of its releases. A name may occur twice.
func (s *Scope) States(key []byte) (all []*StateName) {
	limits := [][]Limit{s.Limits}
	if own := s.overrides.decides(key); own != nil {
		limits = append(limits, own.limits)
	}
	for _, some := range limits {
		for i := range some {
			all = append(all, &some[i].StateName)
		}
	}
	return append(all, &s.Releases)
}

func (s *Scope) hasTail(tail string) bool {
	for i := range s.Limits {
		if s.Limits[i].tail == tail {
			return true
		}
	}
	return false
}

// faultOf returns the error of a name that no new rule can have, nil if there is none. It allocates nothing.
func faultOf(name []byte) error {
	if !isName(name) {
		return ErrName
	}
	for rest, more := name, true; more; {
		var part []byte
		part, rest, more = bytes.Cut(rest, slash)
		if string(part) == "." || string(part) == ".." {
			return ErrDots
		}
	}
	return nil
}

var slash = []byte("/")

// fault returns the error of a rule that cannot be set, nil if there is none. Overrides that a rule keeps do
// not count.
func (r *Rule) fault() error {
	if err := faultOf([]byte(r.Name)); err != nil {
		return repeat(err, r.Name)
	}
	for i := range r.Scopes {
		if err := faultOfLimits(r.Scopes[i].Limits); err != nil {
			return err
		}
	}
	return nil
}

// faultOfLimits returns the error of limits that cannot be set, nil if there is none.
func faultOfLimits(limits []Limit) error {
	for i := range limits {
		if limits[i].Window() > longestLimit {
			return ErrLongLimit
		}
	}
	return nil
}

func isName[T string | []byte](name T) bool {
	if len(name) == 0 || len(name) > MaxNameBytes {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter, digit := 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9'
		if !letter && !digit && strings.IndexByte("_-./", c) < 0 {
			return false
		}
	}
	return true
}
