package rules

import (
	"bytes"
	"strings"

	"cellserver/internal/quote"
	"cellserver/internal/rediserr"
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
// name@scope with the key of this scope. removed is the number of states that there were. The records of
// reservations stay, so clients can settle them. A reservation with RELEASE is not given back any more.
func Reset(r *ruleset.Rules, tx *store.Tx, name []byte, keys [][]byte) (removed int, err error) {
	from := r.Load(tx)
	asked, scope, named := bytes.Cut(name, []byte("@"))
	found := from.Decides(asked)
	switch {
	case found == nil:
		return 0, ruleset.NoRule(asked)
	case found.Err != nil:
		return 0, found.Err
	}
	scopes := found.Scopes
	if named {
		i := found.ScopeIndex(string(scope))
		if i < 0 || len(scope) == 0 {
			return 0, errScopes(found, quote.Word(scope)+" is not one of them")
		}
		scopes = scopes[i : i+1]
	}
	if len(keys) != len(scopes) {
		one := found.Name + "@" + found.Scopes[0].Name
		return 0, errScopes(found, "give a key for each, or write "+one+" and its key")
	}
	for i := range scopes {
		for _, state := range scopes[i].States(keys[i]) {
			state := state.StateKey(nil, asked, keys[i], ruleset.BracesOf(keys[i]))
			if e := tx.Write(state); e.Exists() {
				e.Delete()
				removed++
			}
		}
	}
	return removed, nil
}

// errScopes is the error of a request that has not the keys that the scopes of the rule need.
func errScopes(r *ruleset.Rule, what string) error {
	if r.Scopes[0].Name == "" {
		return rediserr.Error("ERR the rule " + r.Name + " has no scopes: give one key")
	}
	var names []string
	for i := range r.Scopes {
		names = append(names, r.Scopes[i].Name)
	}
	list := strings.Join(names, ", ")
	return rediserr.Error("ERR the rule " + r.Name + " has the scopes " + list + ": " + what)
}
