package rules

import (
	"cellserver/limiters"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// Overriding names the key of a scope whose override changes.
type Overriding struct {
	Rule, Scope string
	Key         []byte
}

// Recount changes the override, and converts what CL.THROTTLE has counted for its key, in every database. So
// the actions that were counted count at the new rate. The transaction has locked the partitions of
// [ResetFootprint].
func (o Overriding) Recount(
	r *ruleset.Rules, tx *store.Tx, databases int, now int64, change func() error,
) error {
	before := o.limits(r, tx)
	if err := change(); err != nil {
		return err
	}
	was := tx.DB()
	defer tx.Select(was)
	for _, one := range o.limits(r, tx) {
		rate, ok := one.Limit.(limiters.Rate)
		if !ok {
			continue
		}
		for i := range before {
			by, ok := before[i].Limit.(limiters.Rate)
			if !ok || before[i].StateName != one.StateName {
				continue
			}
			state := one.StateKey(nil, []byte(o.Rule), o.Key, ruleset.BracesOf(o.Key))
			for db := range databases {
				tx.Select(db)
				if e := tx.Write(state); e.Exists() {
					rate.Recount(&e, by, now)
				}
			}
		}
	}
	return nil
}

// limits returns the limits of the key, nil if there is no such scope.
func (o Overriding) limits(r *ruleset.Rules, tx *store.Tx) []ruleset.Limit {
	found, scope := r.Load(tx).Decides([]byte(o.Rule)), o.Scope
	if scope == "-" {
		scope = ""
	}
	if found == nil || found.Err != nil || found.ScopeIndex(scope) < 0 {
		return nil
	}
	return found.Scopes[found.ScopeIndex(scope)].LimitsOf(o.Key)
}
