package limiters

import (
	"math"

	"cellserver/internal/decimal"
	"cellserver/internal/exact"
	"cellserver/limiters/reservation"
	"cellserver/store"
)

// MoveBack moves the times that a key holds back with the clock, and its expiry with them. A limit allows as much after the
// step as before it. The key has an expiry, and had not expired at the step.
//
// The form of the value says which times it holds:
//
//   - an integer that is also the expiry, a TAT: both;
//   - two integers, a pace: the first;
//   - reservations, and their releases: their times;
//   - a sorted set, a log or leases: the scores that count, and the times in their members;
//   - anything else, such as the counts of windows: the expiry alone.
func MoveBack(e *store.Entry, step store.Step) {
	at, back := e.ExpireAt(), step.Back
	expireAt := at - back/1e6 // rounded up: a limit may end a millisecond late, and never early
	switch e.Kind() {
	case store.Int:
		if n := e.Int(); isTAT(n, at) {
			StoreTAT(e, n-back, step.Was-back)
			return
		}
	case store.Raw:
		if text := e.Bytes(nil); reservation.Is(text) {
			e.SetBytes(reservation.MoveBack(nil, text, back), expireAt)
			return
		}
		if free, stored, ok := twoIntegers(e.Bytes(nil)); ok && near(free, at) {
			e.SetBytes(paceState(free-back, stored), expireAt)
			return
		}
	case store.Sorted:
		if items, moved := movedItems(e.Sorted(), step, nanos(at)); moved {
			e.ZStore(items)
		}
	}
	e.SetExpiry(expireAt)
}

// isTAT reports whether an integer is a TAT, in Unix nanoseconds, of a key that expires at a Unix millisecond. With the
// redis-cell module a key may expire up to 2 ms earlier.
func isTAT(n, at int64) bool {
	early := n/1e6 + 1 - at
	return 0 <= early && early <= 3
}

// near reports whether a number is a time in Unix nanoseconds not long before an expiry. Other numbers are far from
// it, because a time has 19 digits.
func near(free, at int64) bool {
	end := nanos(at)
	return end/2 < free && free <= exact.Plus(end, 1e6)
}

// movedItems returns the items of a sorted set with their times moved. moved reports whether any time had to move: a
// score, in microseconds, that lies in the future, or that still counted at the step. A log expires when its newest
// entry no longer counts. So each entry counts for the time from the newest entry to the expiry.
func movedItems(z *store.SortedSet, step store.Step, end int64) (items []store.Item, moved bool) {
	last := float64(end)/1000 + 1000
	counts := last
	if newest := z.At(z.Len() - 1).Score; newest <= last {
		counts -= newest
	}
	from := float64(step.Was)/1000 - max(float64(step.Back)/1000, counts)
	items = make([]store.Item, 0, z.Len())
	for i := range z.Len() {
		it := z.At(i)
		if release, end, ok := reservation.MoveReleaseBack(it.Member, step.Back); ok {
			items, moved = append(items, store.Item{Member: release, Score: ReleaseScore(end)}), true
			continue
		}
		if from < it.Score && it.Score <= last {
			it, moved = movedItem(it, step.Back), true
		}
		items = append(items, it)
	}
	return items, moved
}

// movedItem moves the time of an item, rounded up. If the member begins with the same time, the member gets the new
// time, too.
func movedItem(it store.Item, back int64) store.Item {
	t, rest := leadingInteger(it.Member)
	if t/1000 == int64(math.Floor(it.Score)) {
		t -= back
		return store.Item{Member: string(decimal.Append(nil, t)) + rest, Score: float64(t / 1000)}
	}
	it.Score -= float64(back / 1000)
	return it
}

// ReleaseScore returns the score of a release in a sorted set: the end of its reservation, in microseconds.
func ReleaseScore(end int64) float64 { return float64(end / 1000) }
