package sidecar

import (
	"sync"

	"cellserver/router"
	"cellserver/sidecar/account"
)

// shard has a part of the accounts.
type shard struct {
	sidecar *Sidecar

	mu      sync.Mutex // guards the fields below
	table   *account.Table
	waiting map[*account.Account][]*waiter
	due     []due // questions on their way, the oldest first
	holds   bool  // some of them wait for the first answer of the hub since the start
}

// waiter is a request that waits for an answer to a question for a lease.
type waiter struct {
	request
	slot  *slot
	user  *router.User
	own   []byte // the client's words, in RESP
	lane  int    // of its connection to the hub, which keeps the order
	proto int
}

// due is a question, and when its answer is late, in microseconds.
type due struct {
	at       int64
	question question
}

// question is one for the hub.
type question interface {
	send()
	late()      // there is no answer in time
	over() bool // the answer is there; the shard's lock is held
}

func (sh *shard) init(s *Sidecar) {
	sh.sidecar, sh.waiting = s, map[*account.Account][]*waiter{}
	sh.table = account.NewTable(s.o.Settings().Settings)
}

// locked calls do with the accounts.
func (sh *shard) locked(do func(*account.Table)) {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	do(sh.table)
}

// expect notes when the answer to a question is late, and forgets those that have their answers; mu is held.
func (sh *shard) expect(now account.Time, question question) {
	for len(sh.due) > 0 && sh.due[0].question.over() {
		sh.due[0].question = nil
		sh.due = sh.due[1:]
	}
	sh.due = append(sh.due, due{now.Boot + sh.sidecar.o.Settings().Timeout.Microseconds(), question})
}

// tick tells the questions whose answers are late, and gives back units of leases that end soon.
func (sh *shard) tick(now account.Time) {
	var asks []*ask
	sh.mu.Lock()
	n := 0
	for n < len(sh.due) && sh.due[n].at <= now.Boot {
		n++
	}
	late := sh.due[:n:n]
	if sh.due = sh.due[n:]; len(sh.due) == 0 {
		sh.due = nil
	}
	held := sh.takeHeld()
	if sh.table.Holds() && sh.sidecar.o.Hub.Up() { // a lost hub may still count what it hears
		sh.table.Tick(now, func(a *account.Account, q account.Ask) {
			asks = append(asks, sh.newAsk(now, a, q))
		})
	}
	sh.mu.Unlock()
	for _, d := range late {
		d.question.late()
	}
	for _, a := range asks {
		a.send()
	}
	for _, p := range held {
		p.send()
	}
}

// takeHeld returns the questions that wait for the first answer of the hub, as soon as it has come; mu is
// held.
func (sh *shard) takeHeld() (all []*pass) {
	if !sh.holds || !sh.sidecar.o.Hub.Up() {
		return nil
	}
	sh.holds = false
	for _, d := range sh.due {
		if p, is := d.question.(*pass); is && p.held {
			p.held = false
			all = append(all, p)
		}
	}
	return all
}
