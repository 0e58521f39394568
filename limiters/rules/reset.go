package rules

import (
	"bytes"

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
// records of reservations stay, so clients can settle them. A reservation with RELEASE is not given back any
// more.
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
	if len(keys) != n {
		one := found.Name + "@" + found.Scopes[0].Name
		return 0, errScopes(found, "give a key for each, or write "+one+" and its key")
	}
	for _, key := range keys {
		var scope []byte
		if scope, names, _ = bytes.Cut(names, comma); len(scope) == 0 && n < len(found.Scopes) {
			return 0, errScopes(found, "'' is not one of them")
		}
		if err := p.put(scope, key); err != nil {
			return 0, err
		}
	}
	for i, key := range p.keys {
		if p.has&(1<<i) == 0 {
			continue
		}
		for _, state := range found.Scopes[i].States(key) {
			state := state.StateKey(nil, asked, key, ruleset.BracesOf(key))
			if e := tx.Write(state); e.Exists() {
				e.Delete()
				removed++
			}
		}
	}
	return removed, nil
}
