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

// Recount changes the override, and converts what was counted for its key, in every database. So the actions
// that were counted count by the new numbers. The transaction has locked the partitions of
// [ResetFootprint].
func (o Overriding) Recount(
	r *ruleset.Rules, tx *store.Tx, databases int, now int64, change func() error,
) error {
	if err := change(); err != nil {
		return err
	}
	found, scope := r.Load(tx).Decides([]byte(o.Rule)), o.Scope
	if scope == "-" {
		scope = ""
	}
	if found == nil || found.Err != nil || found.ScopeIndex(scope) < 0 {
		return nil
	}
	was := tx.DB()
	defer tx.Select(was)
	s := &found.Scopes[found.ScopeIndex(scope)]
	limits, _ := s.LimitsOf(o.Key)
	for _, one := range limits {
		state := one.StateKey(nil, []byte(o.Rule), o.Key, ruleset.BracesOf(o.Key))
		for db := range databases {
			tx.Select(db)
			e := tx.Write(state)
			if end, early := limiters.EndsEarly(&e, one.Limit, now); early {
				noteReset(tx, s, []byte(o.Rule), o.Key, end/1e6)
			}
			found.Ledger.Recount(&e, one.Limit, now)
		}
	}
	return nil
}
