package commands

import "cellserver/store"

// CL.CHECK name key [quantity] [MS] [PEEK] asks a rule: all of its limits pass, and
// consume the quantity (1), or none does. The reply is that of the tightest limit: of
// those that refuse, the one with the longest wait; when none does, the one with the
// least left. A rule in SHADOW never limits.
//
// Each limit keeps its state under a key of its own, name:{key}:limiter.
var _ = register(&Command{
	Name: "cl.check", Arity: -3, Flags: Write | DenyOOM | Fast, Keys: subKey.access("RW ACCESS UPDATE"), Group: Limiter,
	Summary: "Decides whether an action may happen now, by all limits of a rule, and counts it if so.",
	Usage:   "name key [quantity] [MS] [PEEK]", Complexity: "O(N) where N is the number of the rule's limits, at most 8",
	Run: clCheck, Footprint: checkFootprint,
})

const errNoRule Error = "ERR no such rule"

// checking is a client's room for a check, so that it allocates nothing.
type checking struct {
	atHand bool  // the rules were, when the footprint was made; else they are looked up
	found  *rule // then, if there is such a rule
	args   limiterArgs
	names  []byte // the keys of the limits' states, one after the other
	keys   [mostRuleLimits][]byte
	limits []asked[limiter]
	room   [mostRuleLimits]asked[limiter] // that limits is made of
}

// checkFootprint adds the rules, when they are not at hand. So checks of different keys
// do not wait for each other. Inside a transaction they are always looked up, because a
// command before this one may have changed them.
func checkFootprint(c *Call, fp *store.Footprint) {
	if c.Client.checking == nil {
		c.Client.checking = new(checking)
	}
	room, rules := c.Client.checking, &c.Server.rules
	room.atHand, room.found = false, nil
	if stored := rules.stored.Load(); stored != nil && !c.Client.multi.active {
		room.atHand, room.found = true, rules.find(stored, c.Args[1])
	} else {
		rules.lock(fp)
	}
	if key := c.Args[2]; !canBeTag(key) && !hasTag(key) {
		room.addSlots(key, fp)
	}
}

// addSlots adds the partitions of a rule's states for a key with which they have no slot
// in common, such as "a}b": all, when the rule is not at hand.
func (room *checking) addSlots(key []byte, fp *store.Footprint) {
	switch {
	case !room.atHand:
		fp.AddAll()
	case room.found != nil:
		for i := range room.found.limits {
			fp.AddKey(room.found.limits[i].stateKey(nil, key, false))
		}
	}
}

func clCheck(c *Call) error {
	room := c.Client.checking
	room.args.begin(c.Cmd.Name, c.Args[3:])
	err := room.args.finish(0)
	if err == nil {
		err = room.check(c)
	}
	room.clear(c.Client.inExec)
	return limiterError(err)
}

// check asks the rule, applies what its limits decided, and replies.
func (room *checking) check(c *Call) error {
	r, err := room.rule(c)
	if err != nil {
		return err
	}
	room.find(c, r)
	if _, err := decideAll(room.limits, c.Now, room.args.quantity); err != nil {
		return err
	}
	looks := room.args.has(optPeek)
	if !looks {
		applyAll(room.limits, c.Now)
	}
	a := room.tightest()
	looks = looks || room.args.quantity == 0
	if !looks {
		r.count(a.limited)
	}
	if r.shadow && a.limited {
		a.limited, a.retryAfter = false, -1
	}
	c.decidedOn(c.Args[2], a.limited, looks)
	c.replyAnswer(&a, room.args.has(optMS))
	return nil
}

// rule finds the rule that is asked.
func (room *checking) rule(c *Call) (*rule, error) {
	r := room.found
	if !room.atHand || c.Client.inExec {
		stored, err := c.Server.rules.load(c.Tx)
		if err != nil {
			return nil, err
		}
		r = c.Server.rules.find(stored, c.Args[1])
	}
	if r == nil {
		return nil, errNoRule
	}
	return r, r.err
}

// find finds the limits and the entries of their states.
func (room *checking) find(c *Call, r *rule) {
	keys, tag := room.keys[:len(r.limits)], canBeTag(c.Args[2])
	for i := range keys {
		begin := len(room.names)
		room.names = r.limits[i].stateKey(room.names, c.Args[2], tag)
		keys[i] = room.names[begin:]
	}
	c.Tx.PrefetchAll(keys)
	room.limits = room.room[:len(keys)]
	for i, key := range keys {
		a := &room.limits[i]
		a.limiter = r.limits[i].limiter
		a.limiter.find(&a.entry, c.Tx, key)
	}
}

// tightest returns the answer of the limit that leaves least.
func (room *checking) tightest() answer {
	best := &room.limits[0].answer
	for i := range room.limits[1:] {
		if a := &room.limits[1+i].answer; a.tighter(best) {
			best = a
		}
	}
	return *best
}

// tighter reports whether an answer leaves less than another.
func (a *answer) tighter(b *answer) bool {
	switch {
	case a.limited != b.limited:
		return a.limited
	case a.limited && a.retryAfter != b.retryAfter:
		return b.retryAfter != -1 && (a.retryAfter == -1 || a.retryAfter > b.retryAfter)
	case a.remaining != b.remaining:
		return a.remaining < b.remaining
	}
	return a.resetAfter > b.resetAfter
}

// count counts a decision of the rule.
func (r *rule) count(limited bool) {
	switch {
	case !limited:
		r.counts.allowed.Add(1)
	case r.shadow:
		r.counts.shadowed.Add(1)
	default:
		r.counts.limited.Add(1)
	}
}

// keptKeys bounds the room for keys that a client keeps between checks.
const keptKeys = 4096

// clear ends a check. Inside a transaction the keys stay as they are until its end, because
// its effects name them.
func (room *checking) clear(inExec bool) {
	room.found = nil
	if room.names = room.names[:0]; inExec || cap(room.names) > keptKeys {
		room.names = nil
	}
}

// forget ends a batch: an idle client keeps nothing alive.
func (room *checking) forget() {
	if room == nil || room.limits == nil {
		return
	}
	room.args.rest, room.limits = nil, nil
	clear(room.room[:])
	clear(room.keys[:])
}
