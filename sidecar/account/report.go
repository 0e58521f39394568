package account

import (
	"math"

	"cellserver/internal/exact"
)

// view is what an account of the mode report has seen of the hub's state, and what it owes the hub. A unit
// that is spent is owed until the hub has answered a charge of it.
type view struct {
	interval  int64 // as Report has it
	full      int64 // when all units are back, in ns of the clock Boot, if there is an interval
	spent     int64 // units that were ever spent
	passed    int64 // units that have passed, and that the view may lack
	owes      int32 // of those spent, the last ones, of which no charge has a reply; mostOwed at most
	unsent    int32 // of them, those that no charge has
	isCertain bool  // the hub takes charges of this limit
	isDue     bool  // a request came since the last charge
	isHurried bool  // the next charge leaves earlier
}

// Report lets the account decide by its own view, if the table is in the mode report. The interval, in ns, is
// that in which a unit comes back. It is 0 if all units are back at the end of ResetAfter. It is OnlyHub if
// only the hub knows, as it does for several limits.
func (a *Account) Report(interval int64) { a.hold().view = &view{interval: interval} }

// WantsReport reports whether the mode is report, and the account has no view.
func (a *Account) WantsReport() bool { return a.table.settings.Interval > 0 && a.view() == nil }

// OnlyHub is the interval of limits of which only the hub knows what comes back.
const OnlyHub = -1

func (a *Account) view() *view {
	if a.held == nil {
		return nil
	}
	return a.held.view
}

// mostOwed bounds the units of a charge.
const mostOwed = mostWanted

func (v *view) owed() int64 {
	if v == nil {
		return 0
	}
	return int64(v.owes)
}

// unsaid returns how many units no charge has, if one is under way. Otherwise nobody knows whether the hub
// has heard of the last one.
func (v *view) unsaid(isCharging bool) int64 {
	if v != nil && isCharging {
		return int64(v.unsent)
	}
	return v.owed()
}

// unseen returns how many units the view of the hub may lack.
func (v *view) unseen() int64 { return exact.Plus(v.owed(), v.passed) }

// report decides about a request. The hub decides until it has taken a charge.
func (a *Account) report(now Time, quantity int64) (Verdict, Answer) {
	v, figures := a.view(), &a.table.Figures
	if v == nil {
		figures.Passed++
		return Pass, Answer{}
	}
	if v.isDue = v.isDue || a.known.answer.Limit > 0; v.isDue { // the first request may be the only one
		a.hold()
	}
	if v.interval == OnlyHub && a.isOver(now) {
		v.isCertain = false
	}
	switch limit := a.known.answer.Limit; {
	case !v.isCertain:
		v.passed = exact.Plus(v.passed, quantity)
		figures.Passed++
		return Pass, Answer{}
	case quantity > limit || quantity > mostOwed-v.owed():
		figures.Passed++
		return Pass, Answer{}
	case quantity > a.seen(now):
		figures.Refused++
		if v.interval <= 0 && v.owes == v.unsent && !v.isHurried { // only the hub knows what comes back
			v.isHurried = true
			a.held.nextAsk -= a.table.settings.Interval * 1000 * 3 / 4
		}
		return Refused, a.viewed(now, quantity, true)
	}
	v.spent, v.owes, v.unsent = v.spent+quantity, v.owes+int32(quantity), v.unsent+int32(quantity)
	v.full = exact.Plus(max(v.full, now.Boot*1000), v.time(quantity))
	figures.Spent += quantity
	return Local, a.viewed(now, quantity, false)
}

// lookAtView returns the answer to a request that counts nothing, as Look does.
func (a *Account) lookAtView(now Time, quantity int64) (limited bool, answer Answer, ok bool) {
	v := a.view()
	if v == nil || !v.isCertain || quantity > a.known.answer.Limit || v.interval == OnlyHub && a.isOver(now) {
		return false, Answer{}, false
	}
	v.isDue = true
	a.hold()
	limited = quantity > a.seen(now)
	return limited, a.viewed(now, quantity, limited), true
}

// isOver reports whether all units of the limit that the hub spoke of last are back.
func (a *Account) isOver(now Time) bool {
	return millis(now.Boot-a.known.at) >= a.known.answer.ResetAfter
}

// seen returns how many units are left in the view. They come back one after another if there is an interval,
// and all at the end otherwise. It is below 0 if the hub has a debt.
func (a *Account) seen(now Time) int64 {
	k, v := &a.known, a.held.view
	limit := k.answer.Limit
	switch {
	case v.interval > 0:
		return limit - exact.CeilDiv(max(0, v.full-now.Boot*1000), v.interval)
	case a.isOver(now):
		return limit - v.unseen()
	}
	return exact.Plus(k.answer.Remaining, -v.unseen())
}

// time returns in how many nanoseconds units come back one after another.
func (v *view) time(units int64) int64 {
	if t, ok := exact.Mul(units, v.interval); ok {
		return t
	}
	return math.MaxInt64
}

// met takes note of the hub's reply to a request that has passed: the next charge meets its units. It
// reports whether the reply is news. Only the replies to charges come in their order.
func (a *Account) met(quantity int64) bool {
	v := a.view()
	if v == nil {
		return true
	}
	if a.held.asking == 0 {
		v.passed = max(0, v.passed-quantity)
	}
	return !v.isCertain
}

// viewed returns the answer to a request of a quantity.
func (a *Account) viewed(now Time, quantity int64, limited bool) Answer {
	k, v := &a.known, a.held.view
	since, left := millis(now.Boot-k.at), a.seen(now)
	answer := Answer{k.answer.Limit, max(0, left), -1, max(0, k.answer.ResetAfter-since)}
	if v.interval > 0 {
		answer.ResetAfter = exact.CeilDiv(max(0, v.full-now.Boot*1000), 1_000_000)
	}
	if !limited {
		return answer
	}
	if v.interval > 0 {
		answer.RetryAfter = max(1, exact.CeilDiv(v.time(quantity-left), 1_000_000))
	} else {
		next := a.table.settings.Interval // the next answer of the hub may have units
		answer.RetryAfter = max(1, min(answer.ResetAfter, max(next, k.answer.RetryAfter-since)))
	}
	answer.ResetAfter = max(answer.ResetAfter, answer.RetryAfter)
	return answer
}

// charge returns the question that tells the hub what the account owes, if it is time.
func (a *Account) charge(now Time) (ask Ask, ok bool) {
	h, v := a.held, a.held.view
	if v == nil || h.asking != 0 || now.Boot < h.nextAsk || !v.isDue && v.owed() == 0 {
		return ask, false
	}
	figures := &a.table.Figures
	figures.Repeated += int64(v.owes - v.unsent)
	v.isHurried, h.nextAsk = false, now.Boot+a.every()
	return a.chargeOf(now, v.owed()), true
}

// chargeOf returns the charge of units that end with the last one spent.
func (a *Account) chargeOf(now Time, units int64) Ask {
	h, v := a.held, a.held.view
	v.unsent, v.isDue = 0, false
	a.table.Figures.Asks++
	h.asking = a.table.Figures.Asks
	return Ask{Want: units, Departed: now, IsCharge: true, number: h.asking, spent: v.spent}
}

// every returns the time between two charges, in microseconds. A charge counts when it arrives. So the
// hub must hear of it before all of a short burst is back.
func (a *Account) every() int64 {
	every := a.table.settings.Interval * 1000
	if v := a.held.view; v.interval > 0 {
		every = min(every, max(shortestEvery, v.time(a.known.answer.Limit)/1000/4))
	}
	return every
}

const shortestEvery = 20_000

// Charged takes the hub's reply to a charge. A late one may be older than what the account has seen, and says
// that the hub has counted what was spent before this charge.
func (a *Account) Charged(now Time, ask Ask, answer Answer) {
	isLate := a.hold().asking != ask.number
	h := a.answered(ask)
	v := h.view
	if a.table.Figures.Charged += ask.Want; v == nil {
		return
	}
	v.owes = int32(min(int64(v.owes), v.spent-ask.spent))
	if isLate {
		return
	}
	if v.isCertain {
		v.passed = 0
	}
	v.isCertain = true
	a.known.learn(now, now, answer)
	if v.interval > 0 {
		v.full = exact.Plus(now.Boot*1000+min(a.known.answer.ResetAfter, longestPeriod)*1_000_000, v.time(v.unseen()))
	}
}

// forgetDebt gives up what the account owes: the hub does not take it.
func (a *Account) forgetDebt() {
	if v := a.view(); v != nil {
		a.table.Figures.Uncharged += v.owed()
		v.owes, v.unsent, v.passed, v.isCertain = 0, 0, 0, false
	}
}
