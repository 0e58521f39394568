package ruleset

import (
	"bytes"
	"sync/atomic"

	"cellserver/limiters"
	"cellserver/store"
)

// Report is the number of decisions of a rule, by outcome.
type Report struct {
	Name     string `json:"name"`
	Allowed  int64  `json:"allowed"`
	Limited  int64  `json:"limited"`
	Shadowed int64  `json:"shadow_limited"`
}

// Report returns the counters of all rules in force, sorted by name.
func (r *Rules) Report() (all []Report) {
	for _, one := range r.last().inForce() {
		c := one.counts
		all = append(all, Report{one.Name, c.allowed.Load(), c.limited.Load(), c.shadowed.Load()})
	}
	return all
}

// Shown returns a line for each rule in force, sorted by name: its limits in people's words and as commands.
func (r *Rules) Shown() (all []string) {
	for _, one := range r.last().inForce() {
		line := one.Name + ": "
		if words := Words(one.text); words != "" {
			line += words + " = "
		}
		all = append(all, line+one.text)
	}
	return all
}

// ResetCounts sets all counters to zero.
func (r *Rules) ResetCounts() {
	for _, one := range r.last().inForce() {
		for _, n := range []*atomic.Int64{&one.counts.allowed, &one.counts.limited, &one.counts.shadowed} {
			n.Store(0)
		}
	}
}

// Bytes returns about how much memory the parsed rules take. The stored texts are not in it.
func (r *Rules) Bytes() (n int64) {
	for _, source := range []*set{r.before.Load(), r.file.Load()} {
		if source != nil {
			n += source.bytes
		}
	}
	return n
}

// Scopes returns how many keys a request to a name has: as many as it names scopes. Otherwise the rules in
// force say it. It returns 1 for an unknown rule. It also returns 1 if nobody has parsed the rules and the
// transaction has not locked them. tx may be nil.
func (r *Rules) Scopes(tx *store.Tx, name []byte) int {
	name, scopes := CutScopes(name)
	if scopes != nil {
		return 1 + bytes.Count(scopes, comma)
	}
	from := r.seenBy(tx)
	if !from.Parsed() {
		return 1
	}
	if one := from.Decides(name); one != nil {
		return max(1, len(one.Scopes))
	}
	return 1
}

var comma = []byte(",")

// Logs returns how many limits of a rule add an entry to a log for each unit of a request for the keys.
func (r *Rules) Logs(tx *store.Tx, name []byte, keys [][]byte) (n int) {
	name, _ = CutScopes(name)
	from := r.seenBy(tx)
	if !from.Parsed() {
		return 0
	}
	one := from.Decides(name)
	if one == nil {
		return 0
	}
	for i := range one.Scopes {
		most := 0
		for _, key := range keys { // a request may name the scopes in any order
			limits, _ := one.Scopes[i].LimitsOf(key)
			most = max(most, logsOf(limits))
		}
		n += most
	}
	return n
}

// logsOf counts the logs that have an entry for each unit.
func logsOf(limits []Limit) (n int) {
	for i := range limits {
		if l, isLog := limits[i].Limit.(limiters.Log); isLog && l.Resolution == 0 {
			n++
		}
	}
	return n
}

// Tell sets the function that hears what changed when the rules of the file or the URL came into force. Call
// it before the first request.
func (r *Rules) Tell(told func(News)) { r.told = told }

// Watch sets the function that returns the state of the source of the rules. Call it before the first
// request.
func (r *Rules) Watch(source func() Source) { r.watched = source }

// Source returns the state of the source of the rules.
func (r *Rules) Source() Source {
	if r.watched == nil {
		return Source{}
	}
	return r.watched()
}

// Hidden returns the names of the rules of the file that rules of CL.RULE SET hide, as the log shows them;
// "" for none.
func (s Sources) Hidden() string { return shortList(hiddenNames(s.stored, s.file)) }
