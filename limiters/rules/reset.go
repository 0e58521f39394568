package rules

import (
	"bytes"

	"cellserver/limiters"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// ResetFootprint adds the partitions that a reset of keys needs. It always locks the rules,
// because a reset is rare.
func ResetFootprint(r *ruleset.Rules, keys [][]byte, fp *store.Footprint) {
	r.Lock(fp)
	for _, key := range keys {
		if fp.AddKey(key); !ruleset.SharesSlot(key) {
			fp.AddAll()
			return
		}
	}
}

// Reset gives the keys of a request a fresh start under a rule. It removes the states of all limits that
// they have, with and without overrides. name is that of the rule, with a key for each of its scopes, or
// name@scope,scope with the keys of these scopes. removed is the number of states that there were. The
// records of reservations stay, so clients can settle them. But no reservation from before is given back.
func Reset(r *ruleset.Rules, tx *store.Tx, name []byte, keys [][]byte) (removed int, err error) {
	from := r.Load(tx)
	asked, names := ruleset.CutScopes(name)
	found := from.Decides(asked)
	switch {
	case found == nil:
		return 0, ruleset.NoRule(asked)
	case found.Err != nil:
		return 0, found.Err
	}
	p, n := placing{Rule: found, keys: make([][]byte, len(found.Scopes))}, len(found.Scopes)
	if names != nil {
		n = 1 + bytes.Count(names, comma)
	}
	one := found.Name + "@" + found.Scopes[0].Name
	notEach := errScopes(found, "give a key for each, or write "+one+" and its key")
	if len(keys) != n {
		return 0, notEach
	}
	for _, key := range keys {
		var scope []byte
		if scope, names, _ = bytes.Cut(names, comma); len(scope) == 0 && n < len(found.Scopes) {
			return 0, notEach
		}
		if err := p.put(scope, key); err != nil {
			return 0, err
		}
	}
	for i, key := range p.keys {
		if p.has&(1<<i) == 0 {
			continue
		}
		removed += resetScope(tx, &found.Scopes[i], asked, key)
	}
	return removed, nil
}

// resetScope removes the states of a key. While they would count, a key has the time of the reset.
func resetScope(tx *store.Tx, s *ruleset.Scope, asked, key []byte) (removed int) {
	braces, until := ruleset.BracesOf(key), int64(0)
	for _, state := range s.States(key) {
		e := tx.Write(state.StateKey(nil, asked, key, braces))
		if !e.Exists() {
			continue
		}
		if state != &s.Releases {
			removed++
			until = max(until, e.ExpireAt())
		}
		e.Delete()
	}
	noteReset(tx, s, asked, key, until)
	return removed
}

// noteReset notes that a key begins to count at now. Nothing that it counted before comes back. The note
// lasts until what was counted has no effect any more, in Unix milliseconds.
func noteReset(tx *store.Tx, s *ruleset.Scope, asked, key []byte, until int64) {
	if until > tx.NowMillis() {
		e := tx.Write(s.Reset.StateKey(nil, asked, key, ruleset.BracesOf(key)))
		e.SetInt(tx.Now(), max(until, e.ExpireAt()))
	}
}

// noteEarlyEnds notes a reset of each key with a window that ends early. A later window may end when that
// window would have ended, and nothing must come back to it.
func (c *Check) noteEarlyEnds(tx *store.Tx, now int64) {
	for i := range c.limits {
		if end, early := limiters.EndsEarly(&c.limits[i].Entry, c.chosen[i].limit.Limit, now); early {
			scope := c.chosen[i].scope
			noteReset(tx, &c.found.Scopes[scope], c.asked, c.Keys[scope], end/1e6)
		}
	}
}

// resetAt returns the time of the last reset of the key of a scope, 0 without one.
func (c *Check) resetAt(tx *store.Tx, scope int) int64 {
	begin, name := len(c.names), &c.found.Scopes[scope].Reset
	c.names = name.StateKey(c.names, c.asked, c.Keys[scope], c.slots[scope].Braces)
	e := tx.Write(c.names[begin:])
	if at, ok := e.Number(); ok && e.Exists() {
		return at
	}
	return 0
}
