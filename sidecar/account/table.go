package account

import "strings"

// Settings are the bounds of a table.
type Settings struct {
	Lease    int64 // the longest lease in milliseconds
	Interval int64 // the mode is report: milliseconds between two charges; 0 for leases
	Keys     int   // the most accounts
}

// Figures count what a table has done.
type Figures struct {
	Leased   int64 // units that the hub has granted
	Spent    int64 // units that have allowed a request
	Returned int64 // units that were given back
	Stranded int64 // units that nobody has spent before the end of their lease
	Passed   int64 // requests that the hub decided
	Refused  int64 // requests that were refused without a question

	Asks       int64 // questions
	Unanswered int64 // questions without a reply

	// Units of the mode report.
	Charged   int64 // that the hub has counted
	Repeated  int64 // that were sent again, because no reply came
	Uncharged int64 // that the hub will never count
}

// Add adds the figures of another table.
func (f *Figures) Add(g *Figures) {
	f.Leased += g.Leased
	f.Spent += g.Spent
	f.Returned += g.Returned
	f.Stranded += g.Stranded
	f.Passed += g.Passed
	f.Refused += g.Refused
	f.Asks += g.Asks
	f.Unanswered += g.Unanswered
	f.Charged += g.Charged
	f.Repeated += g.Repeated
	f.Uncharged += g.Uncharged
}

// Table holds the accounts of all users.
type Table struct {
	Figures  Figures
	settings Settings
	accounts map[string]*Account
	uses     Account    // the ring of accounts: older is the one that was used last, newer the first to go
	holders  []*Account // those that hold something
	ended    bool       // no further lease is asked for
}

// NewTable returns an empty table.
func NewTable(s Settings) *Table {
	t := &Table{settings: s, accounts: map[string]*Account{}}
	t.uses.newer, t.uses.older = &t.uses, &t.uses
	return t
}

// Set changes the bounds. Leases live on until their end.
func (t *Table) Set(s Settings) {
	t.settings = s
	t.shrink(s.Keys)
}

// Account returns the account of a user and a command, and makes one if there is none. The command is the
// text of the client's words without its quantity. If there is no room, the account has no memory.
func (t *Table) Account(user string, command []byte) *Account {
	var space [128]byte
	key := append(append(append(space[:0], user...), 0), command...)
	a := t.accounts[string(key)]
	if a == nil {
		a = &Account{table: t, key: string(key)}
		a.newer, a.older = a, a
		if !t.shrink(t.settings.Keys - 1) {
			return a
		}
		t.accounts[a.key] = a
	} else {
		a.unlink()
	}
	a.newer, a.older = &t.uses, t.uses.older
	a.newer.older, a.older.newer = a, a
	return a
}

// User returns the user of the account.
func (a *Account) User() string {
	user, _, _ := strings.Cut(a.key, "\x00")
	return user
}

// Command returns the text of the command.
func (a *Account) Command() string {
	_, command, _ := strings.Cut(a.key, "\x00")
	return command
}

func (a *Account) unlink() { a.newer.older, a.older.newer = a.older, a.newer }

// shrink forgets the accounts that were not used for the longest time. It returns false if the next one of
// them owes units to the hub.
func (t *Table) shrink(most int) bool {
	for len(t.accounts) > max(0, most) {
		if t.uses.newer.view().owed() > 0 {
			return false
		}
		t.forget(t.uses.newer)
	}
	return true
}

// forget removes an account. Its units are stranded. A caller may still use it for a request that waits.
func (t *Table) forget(a *Account) {
	a.unlink()
	delete(t.accounts, a.key)
	a.forgetDebt()
	if a.held != nil {
		a.drop()
		t.removeHolder(a)
	}
	a.newer, a.older, a.known.until = a, a, 0
}

// isForgotten reports whether the table does not have the account.
func (a *Account) isForgotten() bool { return a.newer == a }

// DropUser forgets all accounts of a user. It looks at each account of the table.
func (t *Table) DropUser(user string) {
	for key, a := range t.accounts {
		if len(key) > len(user) && key[:len(user)] == user && key[len(user)] == 0 {
			t.forget(a)
		}
	}
}

// Forget forgets the accounts that a function names, unless they owe units to the hub. The hub has
// another state of their limits now, which does not know their units. So these do not go back, nor do those
// on their way. An account that holds nothing may have a view, which goes only with `all`.
func (t *Table) Forget(named func(*Account) bool, all bool) {
	forget := func(a *Account) {
		if named(a) && a.view().owed() == 0 && !a.isForgotten() {
			t.forget(a)
		}
	}
	if all {
		for _, a := range t.accounts {
			forget(a)
		}
		return
	}
	for i := len(t.holders) - 1; i >= 0; i-- {
		forget(t.holders[i])
	}
}

// Len counts the accounts.
func (t *Table) Len() int { return len(t.accounts) }

// Holds reports whether an account holds something, so that Tick has work.
func (t *Table) Holds() bool { return len(t.holders) > 0 }

func (t *Table) addHolder(a *Account) {
	a.held.place = int32(len(t.holders))
	t.holders = append(t.holders, a)
}

// removeHolder removes an account from the list of holders. It keeps only its view.
func (t *Table) removeHolder(a *Account) {
	if a.held.place < 0 {
		return
	}
	last := len(t.holders) - 1
	moved := t.holders[last]
	t.holders[a.held.place], moved.held.place = moved, a.held.place
	t.holders[last] = nil
	t.holders = t.holders[:last]
	if a.held.place = -1; a.held.view == nil {
		a.held = nil
	}
}

// Tick sends the questions that give units back and the charges, and lets accounts of cold keys hold
// nothing. The function must not use the table.
func (t *Table) Tick(now Time, send func(*Account, Ask)) {
	for i := len(t.holders) - 1; i >= 0; i-- {
		a := t.holders[i]
		if ask, ok := a.giveBack(now); ok {
			send(a, ask)
		} else if ask, ok = a.charge(now); ok {
			send(a, ask)
		} else if a.isIdle(now) {
			t.removeHolder(a)
		}
	}
}

// End sends the last questions: they give back the units of all leases, and charge what is owed. The function
// must not use the table.
func (t *Table) End(now Time, send func(*Account, Ask)) {
	t.ended = true
	for _, a := range t.holders {
		h := a.held
		a.expire(now)
		for _, l := range append([]lease{{units: h.back}}, h.leases...) {
			if h.back = l.units; l.units.Units > 0 {
				send(a, a.ask(now, 0))
			}
		}
		h.leases = nil
		if v, units := h.view, h.view.unsaid(h.asking != 0); units > 0 {
			v.owes = int32(units) // Tick charges nothing a second time
			send(a, a.chargeOf(now, units))
		}
	}
}

// AddBusy adds the users whose accounts owe units to the hub, or have units that may go back to it.
func (t *Table) AddBusy(users map[string]bool) {
	for _, a := range t.holders {
		if h := a.held; h.view.owed() > 0 || len(h.leases) > 0 || h.back.Units > 0 || h.asking != 0 {
			users[a.User()] = true
		}
	}
}

// isIdle reports whether an account of a cold key holds nothing.
func (a *Account) isIdle(now Time) bool {
	h := a.held
	a.demand.roll(now.Boot)
	return h.view.owed() == 0 && len(h.leases) == 0 && h.waiting == 0 && h.asking == 0 && h.back.Units == 0 &&
		now.Boot >= max(h.nextAsk, h.share) && !a.demand.isHot(a.table.settings.Lease)
}
