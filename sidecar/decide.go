package sidecar

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/resp"
	"cellserver/router"
	"cellserver/sidecar/account"
)

// decide answers a limiter's command, or begins to. It returns false if the hub must have the client's own
// words.
func (f *Front) decide(cmd *commands.Command, args [][]byte, w *resp.Writer) bool {
	const key = 2 // the words before the limit; CL.CHECK has the name of the rule before its key
	at := key
	if cmd.Name == "cl.check" {
		at++
	}
	if len(args) < at {
		return false
	}
	limit, ok := f.args.Spends(cmd.Name, args[at:])
	quantity := f.args.Quantity
	if !ok || quantity < 0 {
		return false
	}
	f.setLimit(cmd.Name, args[1:at], limit)
	if len(f.limit.text) > longestText {
		return false
	}
	form := form{throttlecrab: cmd.Name == "throttle", millis: f.args.Has(limiters.OptMS)}
	if quantity == 0 || f.args.Has(limiters.OptPeek) {
		return f.look(form, w)
	}
	f.take(form, cmd.Name, limit, args, w)
	return true
}

// setLimit sets the limit of a command by its name, the words before the limit, and those of the limit. The
// last word before the limit is the key.
func (f *Front) setLimit(name string, before, words [][]byte) {
	f.limit.set(name, before, words)
	f.limit.hashes = f.sidecar.written.hashes(f.limit.hashes[:0], name, before, words)
}

// account returns the account of the limit, without a refusal from before the last change of its key. The
// lock of its shard is held.
func (f *Front) account(sh *shard) *account.Account {
	a := sh.table.Account(f.user.Name(), f.limit.text)
	if a.SetKey(f.limit.key()); a.Remembers(f.time()) {
		a.ForgetRefusal(f.sidecar.written.last(f.limit.hashes))
	}
	return a
}

// look answers a request that counts nothing. It returns false if the hub must answer.
func (f *Front) look(form form, w *resp.Writer) bool {
	sh, now := &f.sidecar.shards[shardOf(f.limit.key())], f.time()
	sh.mu.Lock()
	limited, answer, ok := f.account(sh).Look(now, f.args.Quantity)
	sh.mu.Unlock()
	if ok {
		f.answer(form, limited, answer, w)
	}
	return ok
}

// take answers a request, or begins to.
func (f *Front) take(form form, name string, limit, args [][]byte, w *resp.Writer) {
	s, now, quantity := f.sidecar, f.time(), f.args.Quantity
	sh := &s.shards[shardOf(f.limit.key())]
	sh.mu.Lock()
	a := f.account(sh)
	if a.WantsReport() {
		view(a, name, limit)
	}
	verdict, answer := a.Take(now, quantity)
	lost := !s.o.Hub.Up()
	if verdict == account.Wait && lost {
		a.Gone(quantity)
		verdict = account.Pass
	}
	if verdict == account.Pass && lost && s.o.Hub.Met() {
		r := request{a, quantity, form}
		verdict, answer = s.withoutHub(a, now, quantity)
		sh.mu.Unlock()
		f.reply(r.outcome(s, verdict, answer), w)
		return
	}
	var question question
	if verdict == account.Pass || verdict == account.Wait {
		own := router.AppendCommand(nil, args...)
		waiting := &waiter{
			request: request{a, quantity, form}, slot: f.order.add(len(own)), own: own,
			user: f.user, lane: f.lane, proto: w.Proto,
		}
		if verdict == account.Wait {
			sh.waiting[a] = append(sh.waiting[a], waiting)
		} else {
			question = sh.newPass(now, waiting)
		}
	}
	if verdict == account.Local || verdict == account.Wait {
		if next, ok := a.NextAsk(now); ok {
			question = sh.newAsk(now, a, next)
		}
	}
	sh.mu.Unlock()
	if question != nil {
		question.send()
	}
	if verdict == account.Local || verdict == account.Refused {
		f.answer(form, verdict == account.Refused, answer, w)
	}
}

// end answers a request that has waited.
func (w *waiter) end(sh *shard, verdict account.Verdict, answer account.Answer) {
	if verdict == account.Pass && sh.sidecar.o.Hub.Up() {
		sh.mu.Lock()
		p := sh.newPass(sh.sidecar.o.Clock(), w)
		sh.mu.Unlock()
		p.send()
		return
	}
	w.slot.write(w.outcome(sh.sidecar, verdict, answer), true)
}
