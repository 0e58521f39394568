package rules

import (
	"strings"

	"cellserver/internal/quote"
	"cellserver/limiters"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// Check is reusable memory for one request to a rule. The batches of all connections share a few, so that a
// request allocates nothing. A request calls Footprint, Begin and then Ask. Prefetch may plan a request
// before.
type Check struct {
	*plan      // of the request: own, or a prefetched one
	Args       limiters.Args
	Keys       [][]byte // one for each scope of the rule
	looked     bool     // Footprint has searched the parsed rules, and has made a plan if it found the rule
	own        plan
	prefetched *prefetched               // nil before the first Prefetch
	pairKeys   [ruleset.MaxLimits][]byte // memory of Keys for [Question]
	answers
	releases releases
	dryRun   *dryRun    // only while a request has to give back reservations that have ended
	reserves *reserving // only after a request to reserve or to settle
}

// answers are the limits of a request, each with what it says.
type answers struct {
	limits      []limiters.Asked
	tightest    int                               // of limits
	refused     bool                              // a limit refuses, also of a rule with SHADOW
	limitMemory [ruleset.MaxLimits]limiters.Asked // of limits
	used        int                               // the most limits or scopes of a request since Release
}

// Footprint adds the partitions that a request to a rule needs. words are the words of the request
// from the name of the rule on. It adds the key of the rules only if the rules are not parsed yet. So
// requests for different keys do not wait for each other. Inside a transaction (queued) it always adds
// the key of the rules, because an earlier command of the transaction may change them.
func (c *Check) Footprint(r *ruleset.Rules, words [][]byte, queued bool, fp *store.Footprint) {
	from := r.Sources()
	if c.looked = from.Parsed() && !queued; !c.looked {
		lockRules(r, words[1:], fp)
		return
	}
	keys := words[1:]
	if c.plan = c.prefetched.take(from, words); c.plan == nil {
		c.plan = &c.own
		name, scopes := ruleset.CutScopes(words[0])
		c.found, c.asked = from.Decides(name), name
		err := c.faultOfRule()
		if err == nil && scopes != nil {
			_, err = c.takeKeys(words)
			keys = c.Keys
		}
		if err != nil {
			fp.AddKey(words[1]) // a call without partitions would have no transaction
			return
		}
		c.make(c.found, name, keys)
	}
	c.footprint(keys, fp)
}

// lockRules adds the partitions of the key of the rules, and of all states that the words may name.
func lockRules(r *ruleset.Rules, words [][]byte, fp *store.Footprint) {
	r.Lock(fp)
	for _, w := range words { // each of them may be a key
		if fp.AddKey(w); !ruleset.SharesSlot(w) {
			fp.AddAll()
			return
		}
	}
}

// Begin finds the rule and parses the words of a request from the name of the rule on. own are the
// options of the command. queued is true inside EXEC. The error is an error of the words,
// [ruleset.NoRule], or an error of the rule.
func (c *Check) Begin(
	r *ruleset.Rules, tx *store.Tx, command string, words [][]byte, own limiters.Option, queued bool,
) error {
	err := c.begin(r, tx, command, words, queued)
	if c.Args.Finish(own); c.Args.Err != nil {
		return c.Args.Err
	}
	if err == nil && len(c.Keys) > 1 && !c.named(words) {
		return c.ambiguous(words[1+len(c.Keys):], own)
	}
	return err
}

// named reports whether a request names its scopes.
func (c *Check) named(words [][]byte) bool { return len(c.asked) < len(words[0]) }

// ambiguous returns an error if the last key may be the quantity or an option: then a client may have
// forgotten a key. It is a key if the quantity follows. rest are the words after the keys.
func (c *Check) ambiguous(rest [][]byte, own limiters.Option) error {
	last := c.Keys[len(c.Keys)-1]
	number, option := limiters.Spells(last, own)
	named := len(rest) > 0 && strings.EqualFold(string(rest[0]), "quantity")
	if option && !named || number && !c.Args.Has(limiters.OptQuantity) {
		return errScopes(c.found,
			quote.Word(last)+" may be a key or not: write QUANTITY and a number after the keys")
	}
	return nil
}

// begin finds the rule and the keys of a request. Args has the words after the keys.
func (c *Check) begin(r *ruleset.Rules, tx *store.Tx, command string, words [][]byte, queued bool) error {
	c.findRule(r, tx, words[0], queued)
	err, n := c.faultOfRule(), 1
	if err == nil {
		n, err = c.takeKeys(words)
	}
	c.Args.Begin(command, words[min(1+n, len(words)):])
	if len(words) < 1+n {
		c.Args.Err = err // the other words may be anything
	}
	return err
}

// Ask decides about the keys by the rule. Either all limits allow the quantity and consume it, or all limits
// consume nothing. With CHARGE all limits consume it, even if less is left. Ask sets a to the answer of the
// tightest limit. looks is true if the request consumes nothing on purpose: PEEK, or a quantity of 0. The
// error is an error of a limiter.
func (c *Check) Ask(tx *store.Tx, now int64, a *limiters.Answer) (looks bool, err error) {
	if err = c.find(tx, now, false); err != nil {
		return false, err
	}
	if err = c.decide(now, c.Args.Quantity, c.Args.Has(limiters.OptCharge)); err != nil {
		return false, err
	}
	peeks := c.Args.Has(limiters.OptPeek)
	c.end(now, peeks)
	return c.answer(a, now, peeks), nil
}

// end ends a request that has no error: it stores the decisions. A request that counts nothing only gives
// back the reservations that are due.
func (c *Check) end(now int64, peeks bool) {
	if c.dryRun != nil {
		c.giveBack(now)
	}
	if peeks {
		return
	}
	limiters.ApplyAll(c.limits, now)
	if c.releases.scopes > 0 {
		c.releases.keep(c.limits, c.chosen[:])
	}
}

// decide asks all limits.
func (c *Check) decide(now, quantity int64, charges bool) (err error) {
	for i := range c.limits {
		c.limits[i].Quantity = quantity
	}
	_, err = limiters.DecideAll(c.limits, now, charges)
	c.chooseTightest()
	c.refused = c.limits[c.tightest].Answer.Limited
	return err
}

// answer sets a to the answer of the tightest limit, and counts it. A shadow rule allows.
func (c *Check) answer(a *limiters.Answer, now int64, peeks bool) (looks bool) {
	*a = c.limits[c.tightest].Answer
	looks = peeks || c.Args.Quantity == 0
	if !looks {
		c.found.Count(ruleset.Recorded{
			At: now, Quantity: c.Args.Quantity, Charge: c.Args.Has(limiters.OptCharge), Limited: a.Limited,
		}, c.asked, c.Keys)
	}
	c.hide(a)
	return looks
}

// Answer returns the decision of the rule: the answer of the tightest limit. A rule with SHADOW never
// refuses. It is valid until Done.
func (c *Check) Answer() limiters.Answer {
	a := c.limits[c.tightest].Answer
	c.hide(&a)
	return a
}

// hide makes a refusal of a shadow rule a pass.
func (c *Check) hide(a *limiters.Answer) {
	if c.found.Shadow && a.Limited {
		a.Limited, a.RetryAfter = false, limiters.Never
	}
}

// Shadow reports whether the rule has SHADOW. It is valid until Done.
func (c *Check) Shadow() bool { return c.found.Shadow }

// findRule finds the rule that decides for a name, unless Footprint has found it.
func (c *Check) findRule(r *ruleset.Rules, tx *store.Tx, name []byte, queued bool) {
	if !c.looked || queued {
		c.looked, c.plan = false, &c.own // the plan may be of another rule
		c.asked, _ = ruleset.CutScopes(name)
		c.found = r.Load(tx).Decides(c.asked)
	}
}

// faultOfRule returns why the rule that was found cannot decide, nil if it can.
func (c *Check) faultOfRule() error {
	if c.found == nil {
		return ruleset.NoRule(c.asked)
	}
	return c.found.Err
}

// find sets limits to the limits of the rule, with the entries of their states. If the request reserves or
// settles, find also finds the entry of its reservations. If a reservation has ended, or if other numbers
// have counted a state, the entries are copies. These are then brought up to date.
func (c *Check) find(tx *store.Tx, now int64, reserves bool) error {
	c.dryRun = nil // a panic may have left one
	if !c.looked {
		c.make(c.found, c.asked, c.Keys)
	}
	n := c.states
	if reserves && c.all == n {
		c.nameBucket(c.Keys)
	}
	if c.all > 1 {
		c.prefetch(tx)
	}
	c.limits = c.limitMemory[:n]
	c.used = max(c.used, n)
	c.releases.scopes, c.tightest = 0, 0 // a repeated reservation or settlement chooses none
	released, stale := c.findStates(tx, now, reserves)
	all := false
	if reserves {
		tx.Expect(&c.keys[n])
		tx.FindIn(&c.reserves.shared.entry, c.keys[n].Key(), false)
		all = c.Args.Has(limiters.OptRelease)
	}
	due := (released || all) && c.findReleases(tx, all) && c.releases.findDue(now)
	if !due && !stale {
		return nil
	}
	for scope := range c.releases.scopes {
		if c.releases.due[scope] > 0 {
			c.releases.reset[scope] = c.resetAt(tx, scope)
		}
	}
	c.dryRun = startDryRun(tx, c.limits, c.keys[:n], now)
	return c.update(now)
}

// update brings the states up to date. It converts TATs that other numbers have counted, and gives back the
// reservations that have ended.
func (c *Check) update(now int64) error {
	for i := range c.limits {
		c.found.Ledger.Recount(&c.limits[i].Entry, c.chosen[i].limit.Limit, now)
	}
	if c.releases.scopes == 0 {
		return nil
	}
	return c.releases.giveBack(c.limits, c.chosen[:], c.found.Ledger, now)
}

// findStates finds the entries of the states. It reports whether any of their keys may have releases, and
// whether other numbers have counted any of them.
func (c *Check) findStates(tx *store.Tx, now int64, reserves bool) (released, stale bool) {
	mixed := c.found.Ledger.IsMixed()
	p := c.plan
	for i := range c.limits {
		a, from, key := &c.limits[i], &p.chosen[i], &p.keys[i]
		a.Limiter = from.limit.Limit
		if reserves {
			a.Limiter = from.limit.Reserving
		}
		tx.Expect(key)
		tx.FindIn(&a.Entry, key.Key(), a.Limiter.KeepsTAT())
		released = released || c.mayHaveReleases(i)
		_, isRate := from.limit.Limit.(limiters.Rate)
		stale = stale || (mixed || !isRate) && c.found.Ledger.IsStale(&a.Entry, from.limit.Limit, now)
	}
	return released, stale
}

// mayHaveReleases reports whether the key of a limit may have releases. They are a collection. Only for a key
// with other braces, they may lie in another partition than the state of the limit.
func (c *Check) mayHaveReleases(i int) bool {
	return c.limits[i].Entry.AmongCollections() || c.slots[c.chosen[i].scope].Braces == ruleset.OtherBraces
}

// giveBack brings the states up to date. Then they are equal to the copies, and the decisions about the
// copies apply to the states.
func (c *Check) giveBack(now int64) {
	if c.dryRun == nil {
		return
	}
	tx := c.dryRun.of
	c.endDryRun()
	c.noteEarlyEnds(tx, now)
	_ = c.update(now) // find has done the same without an error
	c.releases.forget()
}

// endDryRun makes the limits refer to the states themselves again.
func (c *Check) endDryRun() {
	if c.dryRun != nil {
		c.dryRun.end(c.limits)
		c.dryRun = nil
	}
}

// findReleases looks up the releases of the keys. Without all, it skips a key that cannot have any. It
// reports whether it has looked up any releases.
func (c *Check) findReleases(tx *store.Tx, all bool) bool {
	for i := range c.limits {
		scope := c.chosen[i].scope
		if i > 0 && scope == c.chosen[i-1].scope {
			continue
		}
		if !all && !c.mayHaveReleases(i) {
			continue
		}
		if c.releases.scopes == 0 {
			c.releases.begin(len(c.found.Scopes))
		}
		begin := len(c.names)
		name := &c.found.Scopes[scope].Releases
		c.names = name.StateKey(c.names, c.asked, c.Keys[scope], c.slots[scope].Braces)
		c.releases.find(tx, scope, c.names[begin:])
	}
	return c.releases.scopes > 0
}

// chooseTightest finds the tightest limit, after all have answered.
func (c *Check) chooseTightest() {
	c.tightest = 0
	for i := 1; i < len(c.limits); i++ {
		if c.limits[i].Answer.Tighter(&c.limits[c.tightest].Answer) {
			c.tightest = i
		}
	}
}

// Tightest returns the index of the tightest limit. It is valid until Done.
func (c *Check) Tightest() int { return c.tightest }

// TightestKey returns the key of the tightest limit.
func (c *Check) TightestKey() []byte { return c.Keys[c.chosen[c.tightest].scope] }

// Done ends a request. If the transaction goes on, its effects refer to the names of the keys, to the
// release, and to the bucket. Then Done does not reuse that memory, and leaves it to the garbage collector.
func (c *Check) Done(goesOn bool) {
	c.endDryRun()
	if c.looked = false; c.plan != nil {
		c.plan.done(goesOn)
	}
	if goesOn {
		c.releases.written = nil
		if c.reserves != nil {
			c.reserves.write.bytes = nil
		}
	}
}

// Release drops the references to the request, also if it has panicked. Another connection may use c then.
func (c *Check) Release() {
	if c.prefetched != nil {
		c.prefetched.release()
	}
	if c.plan == nil {
		return // no request since the last Release
	}
	c.own.release()
	c.plan, c.looked, c.dryRun = nil, false, nil
	c.limits, c.Keys = nil, nil
	c.Args.Release()
	clear(c.limitMemory[:c.used])
	clear(c.pairKeys[:c.used])
	c.releases.release(c.used)
	c.used = 0
	if c.reserves != nil {
		c.reserves.release()
	}
}
