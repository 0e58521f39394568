package account

import "cellserver/internal/exact"

// Time is a moment by both clocks of the holder, in microseconds.
type Time struct {
	Boot int64 // a clock that never jumps, and counts the time of a suspended machine
	Wall int64 // Unix time
}

// Verdict says what becomes of a request.
type Verdict uint8

// The verdicts.
const (
	Pass    Verdict = iota // the hub decides: send it the client's own command
	Local                  // allowed: a unit is spent
	Refused                // refused, and nothing is spent
	Wait                   // decided by Again after the answer to a question
)

// Answer has what a limiter replies after its first word. Times are milliseconds.
type Answer struct{ Limit, Remaining, RetryAfter, ResetAfter int64 }

// Account decides about the requests of one limit.
type Account struct {
	table        *Table
	key          string
	newer, older *Account // the neighbours in the order of use
	demand       demand
	known        known
	held         *held // nil if the account has never had a question, or not for long
}

// known is what the hub said last.
type known struct {
	answer Answer
	at     int64 // when the hub said it
	until  int64 // until then the account refuses what it has no units for
	from   int64 // the least quantity that it refuses

	period  int64 // in how many milliseconds the whole limit comes back, at most; 0 if nobody knows
	isSound bool  // the period is an estimate from a large part of the limit
	isTold  bool  // the period is no estimate

	hash uint32 // of the key of the limit
}

// longestRefusal is the longest time in which a refusal is remembered, in microseconds. So a deleted key or a
// higher limit has its effect after this time.
const longestRefusal = 1_000_000

// Take decides about a request of a quantity of at least 1.
func (a *Account) Take(now Time, quantity int64) (Verdict, Answer) {
	a.demand.count(now.Boot, quantity)
	return a.decide(now, quantity)
}

// Again decides about a request that has waited.
func (a *Account) Again(now Time, quantity int64) (Verdict, Answer) {
	a.Gone(quantity)
	return a.decide(now, quantity)
}

// Gone ends the waiting of a request whose client has left.
func (a *Account) Gone(quantity int64) {
	if a.held != nil {
		a.held.waiting = max(0, a.held.waiting-quantity)
	}
}

func (a *Account) decide(now Time, quantity int64) (Verdict, Answer) {
	if answer, ok := a.Spend(now, quantity); ok {
		return Local, answer
	}
	figures := &a.table.Figures
	switch {
	case a.table.settings.Interval > 0:
		return a.report(now, quantity)
	case a.refuses(now, quantity):
		figures.Refused++
		return Refused, a.refusal(now, quantity)
	case a.mayWait(now, quantity):
		a.hold().waiting += quantity
		return Wait, Answer{}
	}
	figures.Passed++
	return Pass, Answer{}
}

// Spend spends units of the leases on a request. It returns false if they have fewer.
func (a *Account) Spend(now Time, quantity int64) (answer Answer, ok bool) {
	a.expire(now)
	if quantity > a.left() {
		return answer, false
	}
	a.held.spend(quantity)
	a.table.Figures.Spent += quantity
	return a.answer(now), true
}

// mayWait reports whether a request waits for the answer to a question that is under way, or leaves now.
func (a *Account) mayWait(now Time, quantity int64) bool {
	most := int64(mostWanted)
	if limit := a.known.answer.Limit; limit > 0 {
		most = min(most, limit/2)
	}
	if quantity > most || !a.isHot(now) || a.isForgotten() {
		return false
	}
	h := a.held
	return h == nil || h.waiting < mostWanted && (h.asking != 0 || now.Boot >= h.nextAsk)
}

// refuses reports whether the hub had less than a quantity a moment ago. A quantity above the limit passes,
// because the hub's reply to it is another one.
func (a *Account) refuses(now Time, quantity int64) bool {
	k := &a.known
	return now.Boot < k.until && k.from <= quantity && quantity <= k.answer.Limit
}

// SetKey sets the hash of the key of the limit.
func (a *Account) SetKey(hash uint32) { a.known.hash = hash }

// Key returns the hash of the key of the limit.
func (a *Account) Key() uint32 { return a.known.hash }

// Remembers reports whether the account repeats a refusal of the hub.
func (a *Account) Remembers(now Time) bool { return now.Boot < a.known.until }

// ForgetRefusal forgets a refusal that the hub said before a time, in microseconds of the clock Boot.
func (a *Account) ForgetRefusal(before int64) {
	if a.known.at <= before {
		a.known.until = 0
	}
}

// Look returns the answer to a request that counts nothing. It reports false if the hub must decide.
func (a *Account) Look(now Time, quantity int64) (limited bool, answer Answer, ok bool) {
	a.expire(now)
	switch left := a.left(); {
	case a.table.settings.Interval > 0:
		return a.lookAtView(now, quantity)
	case left > 0 && quantity <= left:
		return false, a.answer(now), true
	case quantity > 0 && a.refuses(now, quantity):
		return true, a.refusal(now, quantity), true
	case quantity == 0 && a.refuses(now, a.known.from):
		return false, a.answer(now), true
	}
	return false, Answer{}, false
}

// Passed learns from the hub's reply to a request that departed earlier.
func (a *Account) Passed(now, departed Time, quantity int64, limited bool, answer Answer) {
	k := &a.known
	switch {
	case !limited && quantity >= k.from:
		k.until = 0
	case limited && answer.RetryAfter > 0:
		k.until, k.from = now.Boot+min(answer.within().RetryAfter*1000, longestRefusal), quantity
	}
	if a.met(quantity) {
		k.learn(now, departed, answer)
	}
}

// answer returns the answer to a request that is allowed: what the hub said, and what is left of the leases.
func (a *Account) answer(now Time) Answer {
	k := &a.known
	since := millis(now.Boot - k.at)
	return Answer{
		Limit:      k.answer.Limit,
		Remaining:  max(0, min(k.answer.Limit, exact.Plus(k.answer.Remaining, a.left()))),
		RetryAfter: -1,
		ResetAfter: max(0, k.answer.ResetAfter-since),
	}
}

// refusal returns the answer to a request of a quantity that is refused. The wait lasts at least until the
// account asks again.
func (a *Account) refusal(now Time, quantity int64) Answer {
	answer := a.answer(now)
	answer.Remaining = min(answer.Remaining, quantity-1)
	wait := a.known.answer.RetryAfter - millis(now.Boot-a.known.at)
	answer.RetryAfter = max(wait, (a.known.until-now.Boot+999)/1000)
	answer.ResetAfter = max(answer.ResetAfter, answer.RetryAfter)
	return answer
}

// millis returns whole milliseconds, rounded down.
func millis(micros int64) int64 { return max(0, micros) / 1000 }
