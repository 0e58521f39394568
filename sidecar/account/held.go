package account

import "slices"

// held is what an account needs while its key is hot, and what it has seen in the mode report.
type held struct {
	leases  []lease // in the order of their grants, mostLeases at most
	back    Back    // units that the next question gives back
	waiting int64   // units of the requests that wait
	asking  int64   // the number of the question under way; 0 for none
	nextAsk int64   // no question leaves before
	view    *view   // nil unless the mode is report

	windowEnd   int64 // when the window ends, if the last lease ended with it
	lengthUntil int64 // the hub may have changed the limit after this time

	share  int64 // when the share of a lost hub's limit is full again
	length int32 // how long a lease lasts in milliseconds, as the hub said
	place  int32 // in the table's list of holders; below 0 for none
}

// lease is units that the holder may spend before an end.
type lease struct {
	units Back // with the hub's words for the lease
	end   Time
}

const mostLeases = 4

// hold returns what an account holds, and begins to hold.
func (a *Account) hold() *held {
	if a.held == nil {
		a.held = &held{place: -1}
	}
	if a.held.place < 0 && !a.isForgotten() {
		a.table.addHolder(a)
	}
	return a.held
}

// left counts the units of all leases.
func (a *Account) left() (units int64) {
	if a.held != nil {
		for i := range a.held.leases {
			units += a.held.leases[i].units.Units
		}
	}
	return units
}

// spend takes units of the oldest leases. The leases have as many.
func (h *held) spend(units int64) {
	for i := range h.leases {
		of := &h.leases[i].units
		n := min(units, of.Units)
		of.Units -= n
		units -= n
	}
}

// expire ends the leases whose end has come by one of the clocks. It takes the units away from a lease that
// ends soon, so that a question gives them back. If the demand has ended, it takes those of all leases.
func (a *Account) expire(now Time) {
	h := a.held
	if h == nil {
		return
	}
	isIdle := a.demand.isIdle(now.Boot)
	ended := func(l lease) bool {
		switch end := l.end.Boot; {
		case l.units.Units == 0:
			return true
		case now.Boot >= end || now.Wall >= l.end.Wall:
			a.table.Figures.Stranded += l.units.Units
			return true
		case h.back.Units == 0 && (isIdle || end-now.Boot <= l.units.Ends*(1000/10)):
			h.back = l.units
			return true
		}
		return false
	}
	h.leases = slices.DeleteFunc(h.leases, ended)
}

// add adds a lease. If there are too many, the units of the oldest one go back, too.
func (a *Account) add(l lease) {
	h := a.hold()
	if len(h.leases) == mostLeases {
		if h.back.Units > 0 {
			a.table.Figures.Stranded += h.leases[0].units.Units
		} else {
			h.back = h.leases[0].units
		}
		h.leases = slices.Delete(h.leases, 0, 1)
	}
	h.leases = append(h.leases, l)
}

// drop forgets all units.
func (a *Account) drop() {
	if h := a.held; h != nil {
		a.table.Figures.Stranded += a.left() + h.back.Units
		h.leases, h.back = nil, Back{}
	}
}
