package sidecar

import (
	"slices"

	"cellserver/limiters/rules"
	"cellserver/sidecar/account"
)

// apply does what follows from an effect. `reply` is the begin of the hub's reply, nil if that is lost. `db`
// is the database of the client.
func (s *Sidecar) apply(e *effect, reply []byte, db int64) {
	if e.other != 0 && !(e.own && db == 0) {
		return
	}
	switch {
	case reply == nil || e.mayFail:
		s.written.note(s.o.Clock().Boot, e.keys...)
	case reply[0] == '-':
	case e.change == values:
		s.written.note(s.o.Clock().Boot, e.keys...)
	case string(reply) == ":0\r\n": // there was nothing to change
	case e.change == all:
		s.forget()
	default:
		s.forgetSome(e)
	}
}

// forgetSome forgets what the hub said about the limits of keys, or of a rule.
func (s *Sidecar) forgetSome(e *effect) {
	now := s.o.Clock().Boot
	slices.Sort(e.keys)
	has := func(hash uint32) bool { _, is := slices.BinarySearch(e.keys, hash); return is }
	s.written.note(now, e.keys...)
	if e.change == states {
		for keys, n := e.keys, 0; len(keys) > 0; keys = keys[n:] {
			shard := shardOf(keys[0])
			for n = 1; n < len(keys) && shardOf(keys[n]) == shard; {
				n++
			}
			s.shards[shard].locked(func(t *account.Table) {
				t.Forget(func(a *account.Account) bool { return has(a.Key()) && !isCheck(a, rules.Default) }, false)
			})
		}
		return
	}
	if e.change == limits {
		s.written.note(now, s.written.hashOfRule([]byte(e.rule)))
	}
	s.explained.forgetRule(e.rule)
	s.each(func(t *account.Table) {
		t.Forget(func(a *account.Account) bool {
			return isCheck(a, e.rule) && (e.change == limits ||
				slices.ContainsFunc(s.written.hashesOf(a), has))
		}, e.change == limits)
	})
}

// forgetOld forgets a refusal in the answer to a question, if something has changed since it departed: the
// hub may have decided before that. The lock of the account's shard is held.
func (s *Sidecar) forgetOld(a *account.Account, now, departed account.Time) {
	if a.Remembers(now) && s.written.lastOf(a) >= departed.Boot {
		a.ForgetRefusal(now.Boot)
	}
}
