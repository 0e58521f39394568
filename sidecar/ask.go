package sidecar

import (
	"sync"

	"cellserver/limiters/rules"
	"cellserver/router"
	"cellserver/sidecar/account"
)

// ask is a question for a lease, or a charge, on its way. It is the sink of its reply.
type ask struct {
	shard   *shard
	account *account.Account
	ask     account.Ask
	reply   []byte          // the pieces so far
	ended   bool            // the answer is there or late; shard.mu guards it
	last    *sync.WaitGroup // of the questions at the end; nil for others
}

// newAsk makes a question; mu is held. The caller sends it without the lock.
func (sh *shard) newAsk(now account.Time, a *account.Account, q account.Ask) *ask {
	one := &ask{shard: sh, account: a, ask: q}
	sh.expect(now, one)
	return one
}

// send sends the question over a connection of the user of the account.
func (q *ask) send() {
	user := q.shard.sidecar.o.Hub.Named(q.account.User())
	if user == nil { // its last client has left
		q.fail(false)
		return
	}
	command := []byte(q.account.Command())
	if q.ask.IsCharge {
		command = chargeCommand(command, q.ask.Want)
	} else {
		command = leaseCommand(command, q.ask)
	}
	user.Send(router.AskLane, 2, &router.Request{Command: command, Sink: q})
}

// Reply implements [router.Sink].
func (q *ask) Reply(p []byte, end bool) {
	if len(q.reply) < 4<<10 {
		q.reply = append(q.reply, p...)
	}
	if !end {
		return
	}
	sh, now := q.shard, q.shard.sidecar.o.Clock()
	sh.sidecar.advised.advise(sh.sidecar.o.Log, q.account.User(), q.reply, now.Boot)
	sh.mu.Lock()
	was := q.end()
	switch {
	case q.learn(now):
	case was:
		sh.mu.Unlock()
		return
	case isLoss(q.reply):
		sh.lost(now, q)
		return
	default:
		q.account.Failed(now, q.ask)
		if isRefusal(q.reply) {
			sh.sidecar.denied(q.account.User(), now)
		}
	}
	sh.settle(now, q, (*account.Account).Again)
}

// learn gives the answer of the hub to the account. It returns false for an error.
func (q *ask) learn(now account.Time) bool {
	if q.ask.IsCharge {
		answer, ok := readCharge(q.reply)
		if ok {
			q.account.Charged(now, q.ask, answer)
		}
		return ok
	}
	var n [7]int64
	ok := readInts(q.reply, n[:])
	if ok {
		q.account.Granted(now, q.ask, account.Grant{
			Units: n[0], Limit: n[1], Remaining: n[2], RetryAfter: n[3], ResetAfter: n[4],
			Ends: n[5], At: n[6],
		})
		q.shard.sidecar.forgetOld(q.account, now, q.ask.Departed)
	}
	return ok
}

// Lost implements [router.Sink].
func (q *ask) Lost(error) { q.fail(false) }

func (q *ask) over() bool { return q.ended }

// end notes the end of the question. It returns whether it has ended before; shard.mu is held.
func (q *ask) end() (was bool) {
	was, q.ended = q.ended, true
	return was
}

// late implements question.
func (q *ask) late() { q.fail(true) }

// fail says that there is no answer, or none in time. A slow hub would count a charge twice if it came again.
// So its answer may come until its connection ends, or should have ended. Those who wait for a lease do not
// wait for it.
func (q *ask) fail(isLate bool) {
	sh, now := q.shard, q.shard.sidecar.o.Clock()
	sh.mu.Lock()
	age := now.Boot - q.ask.Departed.Boot
	switch mayCome := isLate && q.ask.IsCharge && age < 2*sh.sidecar.o.Hub.Patience().Microseconds(); {
	case q.ended:
		sh.mu.Unlock()
	case mayCome:
		sh.expect(now, q)
		sh.settle(now, q, sh.sidecar.goneWithoutHub)
	default:
		q.ended = true
		sh.lost(now, q)
	}
}

// lost answers those who wait without the hub. It unlocks mu.
func (sh *shard) lost(now account.Time, q *ask) {
	q.account.Lost(now, q.ask)
	sh.settle(now, q, sh.sidecar.goneWithoutHub)
}

// goneWithoutHub decides about a request that has waited, and that the hub does not answer.
func (s *Sidecar) goneWithoutHub(
	a *account.Account, now account.Time, quantity int64,
) (account.Verdict, account.Answer) {
	a.Gone(quantity)
	return s.withoutHub(a, now, quantity)
}

// withoutHub decides about a request that the hub does not answer.
func (s *Sidecar) withoutHub(
	a *account.Account, now account.Time, quantity int64,
) (account.Verdict, account.Answer) {
	s.lost.Add(1)
	policy := s.o.Settings().Lost
	if policy == account.Share && a.WantsPeriod() && !isCheck(a, rules.Default) {
		tellPeriod(a)
	}
	return a.WithoutHub(now, quantity, policy, s.o.Hub.Sidecars())
}

// settle answers those who wait for a question, as far as it can. It unlocks mu.
func (sh *shard) settle(
	now account.Time, q *ask,
	take func(*account.Account, account.Time, int64) (account.Verdict, account.Answer),
) {
	type outcome struct {
		*waiter
		verdict account.Verdict
		answer  account.Answer
	}
	var ended []outcome
	a := q.account
	waiting := sh.waiting[a]
	kept := waiting[:0]
	for _, w := range waiting {
		if w.slot.order.gone() {
			a.Gone(w.quantity)
			continue
		}
		verdict, answer := take(a, now, w.quantity)
		if verdict == account.Wait {
			kept = append(kept, w)
			continue
		}
		ended = append(ended, outcome{w, verdict, answer})
	}
	clear(waiting[len(kept):])
	if sh.waiting[a] = kept; len(kept) == 0 {
		delete(sh.waiting, a)
	}
	next, asks := a.NextAsk(now)
	var question *ask
	if asks {
		question = sh.newAsk(now, a, next)
		question.last = q.last
	} else if q.last != nil {
		q.last.Done()
	}
	q.last = nil
	sh.mu.Unlock()
	for _, o := range ended {
		o.end(sh, o.verdict, o.answer)
	}
	if question != nil {
		question.send()
	}
}
