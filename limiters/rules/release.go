package rules

import (
	"iter"

	"cellserver/internal/exact"
	"cellserver/internal/rediserr"
	"cellserver/limiters"
	"cellserver/limiters/reservation"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// The largest number of reservations of a key in a scope that wait for their release. It bounds the time in
// which a request gives back due reservations to about a millisecond. An entry of a CL.LOG takes longer than
// a number.
const (
	MaxReleases    = 1024
	MaxLogReleases = 128 // if the scope has a CL.LOG
)

// ErrReleases is the reply to a reservation of a key that has too many reservations with RELEASE.
const ErrReleases rediserr.Error = "ERR too many reservations of this key wait for their release"

// releases are the releases of the keys of a request, one sorted set for each scope. A reservation with
// RELEASE has a release in each of its scopes until it is settled. The next request for the key of a scope
// gives back the reservations that are due. So no decision sees a reservation after its end. If something is
// due, the request decides about copies of the states ([dryRun]). It may still end in an error, and an error
// changes nothing.
//
// The score of a release is the end of its reservation. A set lives at least as long as the states of its
// scope.
type releases struct {
	scopes  int                            // 0 if no set was looked up
	found   [ruleset.MaxLimits]bool        // the scopes whose set was looked up; no other scope has a set
	entries [ruleset.MaxLimits]store.Entry // of the sets that were looked up
	due     [ruleset.MaxLimits]int         // how many reservations at the beginning of each set have ended
	reset   [ruleset.MaxLimits]int64       // the last reset of each scope; what it counted before stays
	record  reservation.Record
	marks   [reservation.MaxMarks]reservation.Mark
	bytes   []byte // of a release that was read
	written []byte // a release to write; the effects of the transaction refer to it
}

// release drops the references to requests. None of them had more scopes than this number.
func (r *releases) release(scopes int) {
	clear(r.entries[:scopes])
	r.record = reservation.Record{}
}

// begin begins a request for several scopes. No set is found yet.
func (r *releases) begin(scopes int) {
	r.scopes, r.found, r.due = scopes, [ruleset.MaxLimits]bool{}, [ruleset.MaxLimits]int{}
}

// find finds the set of a scope.
func (r *releases) find(tx *store.Tx, scope int, key []byte) {
	r.found[scope] = true
	tx.FindIn(&r.entries[scope], key, false)
}

// has reports whether a scope has a set. A client may have written another type of value to its key.
func (r *releases) has(scope int) bool {
	return r.found[scope] && r.entries[scope].Kind() == store.Sorted
}

// findDue counts the reservations that have ended. It reports whether there are any.
func (r *releases) findDue(now int64) (any bool) {
	for scope := range r.scopes {
		if r.has(scope) {
			r.due[scope] = r.entries[scope].Sorted().Search(func(score float64, member []byte) bool {
				return r.end(score, member) > now
			})
			any = any || r.due[scope] > 0
		}
	}
	return any
}

// giveBack gives back the reservations that have ended. from says where the limits come from, and by is the
// ledger of the rule.
func (r *releases) giveBack(limits []limiters.Asked, from []chosen, by *limiters.Ledger, now int64) error {
	for i := range limits {
		l, scope := from[i].limit, from[i].scope
		if r.due[scope] == 0 {
			continue
		}
		due := r.endedIn(l, scope, by)
		if err := l.Reserving.Release(&limits[i].Entry, now, due); err != nil {
			return err
		}
	}
	return nil
}

// forget removes the reservations that giveBack has given back.
func (r *releases) forget() {
	for scope := range r.scopes {
		switch e, due := &r.entries[scope], r.due[scope]; {
		case due == 0:
		case due == e.Sorted().Len():
			e.Delete()
		default:
			e.ZRemRange(0, due)
		}
	}
}

// end returns the time at which an item of a set is due. An item that a client wrote is due at its score.
func (r *releases) end(score float64, member []byte) int64 {
	if r.read(member) {
		return r.record.End
	}
	return int64(score) * 1000
}

// read sets the record to a release.
func (r *releases) read(member []byte) bool {
	r.bytes = append(r.bytes[:0], member...)
	if r.record.Marks == nil {
		r.record.Marks = r.marks[:0]
	}
	return reservation.ReadRelease(&r.record, r.bytes)
}

// endedIn returns the ends of the reservations of a scope that have ended, and what they reserved in one
// limit. `by` is the ledger of the rule.
func (r *releases) endedIn(
	l *ruleset.Limit, scope int, by *limiters.Ledger,
) iter.Seq2[int64, *limiters.Settlement] {
	return func(yield func(int64, *limiters.Settlement) bool) {
		r.entries[scope].Sorted().Range(0, r.due[scope], false, func(_ float64, member []byte) bool {
			var s limiters.Settlement
			if !r.read(member) || r.record.At <= r.reset[scope] || !settlement(&s, &r.record, l, 0, by) {
				return true
			}
			return yield(r.record.End, &s)
		})
	}
}

// settlement sets s to what one limit counted of a reservation, and to its real cost. It is false if the
// limit counted nothing. by is the ledger of the rule.
func settlement(
	s *limiters.Settlement, r *reservation.Record, l *ruleset.Limit, real int64, by *limiters.Ledger,
) bool {
	for _, m := range r.Marks {
		if m.Limit == l.ID {
			*s = limiters.Settlement{At: r.At, Reserved: r.Quantity, Real: real,
				Mark: limiters.Mark{IsTime: m.IsTime, Value: m.Value, Period: m.Period}}
			by.Adjust(s, l.Limit)
			return true
		}
	}
	return false
}

// room returns an error if a set has no room for one more release. The sets of all scopes were looked up.
func (r *releases) room(limits []limiters.Asked, from []chosen) error {
	for i := range limits {
		most, scope := MaxReleases, from[i].scope
		if _, isLog := limits[i].Limiter.(limiters.Log); isLog {
			most = MaxLogReleases
		}
		if err := limiters.CheckSorted(&r.entries[scope]); err != nil {
			return err
		}
		if r.has(scope) && r.entries[scope].Sorted().Len()-r.due[scope] >= most {
			return ErrReleases
		}
	}
	return nil
}

// write returns the release of a record. It is valid until the transaction ends.
func (r *releases) write(of *reservation.Record) []byte {
	r.written = of.AppendRelease(r.written[:0])
	return r.written
}

// add adds a release to all sets. All sets were looked up before.
func (r *releases) add(end int64, release []byte) {
	for i := range r.scopes {
		r.entries[i].ZAdd(releaseScore(end), release)
	}
}

// releaseScore returns the score of a release in a sorted set: the end of its reservation, in microseconds.
func releaseScore(end int64) float64 { return float64(end / 1000) }

// drop removes a release from all sets, because its reservation is settled.
func (r *releases) drop(release []byte) {
	for i := range r.scopes {
		if r.has(i) {
			r.entries[i].ZRem(release)
		}
	}
}

// keep makes the sets live as long as the states of their scopes, and until the last reservation ends.
func (r *releases) keep(limits []limiters.Asked, from []chosen) {
	for scope := range r.scopes {
		if r.has(scope) {
			r.keepOne(scope, limits, from)
		}
	}
}

func (r *releases) keepOne(scope int, limits []limiters.Asked, from []chosen) {
	e := &r.entries[scope]
	set := e.Sorted().Cursor()
	at := max(e.ExpireAt(), exact.CeilDiv(r.end(set.Item(set.Len()-1)), 1e6))
	for i := range limits {
		if from[i].scope == scope {
			at = max(at, limits[i].Entry.ExpireAt())
		}
	}
	if at != e.ExpireAt() {
		e.SetExpiry(at)
	}
}
