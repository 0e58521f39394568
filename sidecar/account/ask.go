package account

// Ask is a question: CL.LEASE Want TTL [BACK n at ends] and the client's command, or a charge of Want
// units. It must be sent once only.
type Ask struct {
	IsCharge bool
	Want     int64
	TTL      int64 // milliseconds
	Back     Back
	Departed Time // when the question leaves

	number int64
	spent  int64 // a charge: how many units the account had ever spent
}

// Back is units of a lease with the words by which the hub knows it. Without units it is nothing.
type Back struct{ Units, At, Ends int64 }

// Grant has the words of the hub's reply in their order.
type Grant struct{ Units, Limit, Remaining, RetryAfter, ResetAfter, Ends, At int64 }

const mostWanted = 1_000_000_000

// The times between questions, in microseconds.
const (
	shortestSpace = 5_000
	longestSpace  = 125_000
	spaceRequests = 12 // so many requests come between two questions
	longestLease  = 60_000_000
	pauseAfter    = 100_000
	barredFor     = 10_000_000 // after an error
)

// isHot reports whether enough requests come in the time of a lease.
func (a *Account) isHot(now Time) bool {
	a.demand.roll(now.Boot)
	return a.demand.isHot(min(a.length(now), a.windowLeft(now))) && !a.demand.isIdle(now.Boot)
}

// length returns how long a lease lasts, in milliseconds.
func (a *Account) length(now Time) int64 {
	if h := a.held; h != nil && now.Boot < h.lengthUntil {
		return min(int64(h.length), a.table.settings.Lease)
	}
	return a.table.settings.Lease
}

// windowLeft returns in how many milliseconds the window ends. Before the account knows, that is long.
func (a *Account) windowLeft(now Time) int64 {
	if h := a.held; h != nil && now.Boot < h.windowEnd {
		return millis(h.windowEnd - now.Boot)
	}
	return longestLease / 1000
}

// NextAsk returns the question that leaves now, if there is one. After the end of the table it gives units
// back only.
func (a *Account) NextAsk(now Time) (ask Ask, ok bool) {
	h := a.held
	if h != nil && a.table.ended { // a question that was under way may have brought a lease
		if h.back.Units == 0 && len(h.leases) > 0 {
			h.back, h.leases = h.leases[0].units, h.leases[1:]
		}
		return a.giveBack(now)
	}
	if h == nil || h.asking != 0 || now.Boot < h.nextAsk || a.table.settings.Interval > 0 {
		return ask, false
	}
	a.expire(now)
	if want := a.want(now); want > 0 {
		return a.ask(now, want), true
	}
	return ask, false
}

// giveBack returns a question that wants nothing and gives units back, if some must go back now.
func (a *Account) giveBack(now Time) (ask Ask, ok bool) {
	if a.expire(now); a.held.back.Units == 0 || a.held.asking != 0 {
		return ask, false
	}
	return a.ask(now, 0), true
}

// want returns how many units the account needs.
func (a *Account) want(now Time) int64 {
	left, waiting := a.left(), a.held.waiting
	inHalf := int64(0) // units that are asked for in half of the time of a lease
	if a.isHot(now) {
		inHalf = a.demand.unitsIn(min(a.length(now)/2, a.windowLeft(now)))
	}
	if waiting == 0 && 2*left >= inHalf {
		return 0
	}
	return min(max(0, inHalf-left)+waiting, mostWanted)
}

// ask returns a question. Requests wait for its answer, unless it wants nothing.
func (a *Account) ask(now Time, want int64) Ask {
	h := a.held
	a.table.Figures.Asks++
	ask := Ask{
		Want: want, TTL: a.table.settings.Lease, Back: h.back, Departed: now, number: a.table.Figures.Asks,
	}
	if h.back = (Back{}); want > 0 {
		h.asking = ask.number
	}
	return ask
}

// answered notes that a question is no longer under way. Another question may be.
func (a *Account) answered(ask Ask) *held {
	h := a.hold()
	if h.asking == ask.number {
		h.asking = 0
	}
	return h
}

// Granted takes the hub's reply to a question, which may be late. If the table has forgotten the account, its
// units count for nothing: the hub may have another state. Those who wait pass.
func (a *Account) Granted(now Time, ask Ask, g Grant) {
	h := a.answered(ask)
	a.table.Figures.Returned += ask.Back.Units
	units, ends := max(0, min(g.Units, ask.Want)), max(0, min(g.Ends, ask.TTL))
	if a.isForgotten() {
		a.table.Figures.Leased += units
		a.table.Figures.Stranded += units
		return
	}
	a.known.learn(now, ask.Departed, Answer{g.Limit, g.Remaining, g.RetryAfter, g.ResetAfter})
	if ask.Want == 0 {
		return
	}
	isFirst := now.Boot >= h.lengthUntil
	h.lasts(now, ends, ask.Departed)
	k := &a.known
	switch {
	case ends == 0: // a window ends now, or the limit comes back too soon
		k.until, h.nextAsk = 0, now.Boot+shortestSpace
	case units == 0 && g.RetryAfter < 0: // this limit is never leased
		k.until, h.nextAsk = 0, now.Boot+barredFor
	case units < ask.Want:
		wait := min(max(k.answer.RetryAfter*1000, a.space(now)), longestRefusal)
		k.until, k.from, h.nextAsk = now.Boot+wait, 1, now.Boot+wait
		if units == 0 && isFirst { // what a lease cannot have may be left for one request
			k.until = 0
		}
	default:
		k.until = 0
	}
	if units > 0 {
		a.receive(now, ask, Back{units, g.At, ends})
	}
}

// receive keeps the units of a grant, unless it comes too late. The holder's clock may be slow by a
// two-thousandth, and the caller rounds a time down.
func (a *Account) receive(now Time, ask Ask, units Back) {
	a.table.Figures.Leased += units.Units
	end := Time{ask.Departed.Boot + units.Ends*999 - 1, ask.Departed.Wall + units.Ends*1000}
	if now.Boot >= end.Boot || now.Wall >= end.Wall {
		a.table.Figures.Stranded += units.Units
		return
	}
	a.add(lease{units, end})
}

// lasts learns how long leases last, in milliseconds. The last leases of a window are shorter than others,
// and end with it.
func (h *held) lasts(now Time, ends int64, departed Time) {
	h.windowEnd = 0
	if length := int64(h.length); now.Boot < h.lengthUntil && ends < length {
		h.windowEnd = departed.Boot + ends*1000
		ends = length - (length-ends+7)/8
	}
	h.length, h.lengthUntil = int32(ends), now.Boot+barredFor
}

// space returns the time in which about twelve requests come, but an eighth of the time in which the limit
// comes back at most. A lease lasts for a quarter of that. Units that are left at the hub are lost when a
// window ends, so the account asks more often before that.
func (a *Account) space(now Time) int64 {
	longest := min(longestSpace, a.length(now)*1000/2, a.windowLeft(now)*1000/6)
	return max(shortestSpace, min(longest, a.demand.timeOf(spaceRequests)))
}

// Failed takes an error as the reply to a question. The account has no leases for a while, and the requests
// pass.
func (a *Account) Failed(now Time, ask Ask) {
	h := a.answered(ask)
	a.drop()
	a.forgetDebt()
	a.known.until, h.nextAsk = 0, now.Boot+barredFor
}

// Lost says that no reply to a question is expected. If one comes, Granted takes it.
func (a *Account) Lost(now Time, ask Ask) {
	h := a.answered(ask)
	a.table.Figures.Unanswered++
	a.table.Figures.Stranded += ask.Back.Units
	h.nextAsk = max(h.nextAsk, now.Boot+pauseAfter)
}
