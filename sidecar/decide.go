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
	f.setText(cmd.Name, args[1:at], limit)
	if len(f.text) > longestText {
		return false
	}
	form := form{throttlecrab: cmd.Name == "throttle", millis: f.args.Has(limiters.OptMS)}
	if quantity == 0 || f.args.Has(limiters.OptPeek) {
		return f.look(form, cmd, args, w)
	}
	f.take(form, cmd, limit, args, w)
	return true
}

// setText sets the text of the limit. It has the name of the command, the words before the limit, and those
// of the limit.
func (f *Front) setText(name string, before, limit [][]byte) {
	f.text = router.AppendHeader(f.text[:0], '*', 1+len(before)+len(limit))
	f.text = router.AppendWord(f.text, name)
	for _, word := range before {
		f.text = router.AppendWord(f.text, word)
	}
	for _, word := range limit {
		f.text = router.AppendWord(f.text, word)
	}
}

// renew makes an account forget a refusal from before the last change of a key of the command.
func (f *Front) renew(a *account.Account, cmd *commands.Command, args [][]byte) {
	if a.Remembers(f.time()) {
		a.ForgetRefusal(f.sidecar.written.since(cmd, args))
	}
}

// look answers a request that counts nothing. It returns false if the hub must answer.
func (f *Front) look(form form, cmd *commands.Command, args [][]byte, w *resp.Writer) bool {
	sh, now := f.sidecar.shard(f.text), f.time()
	sh.mu.Lock()
	a := sh.table.Account(f.user.Name(), f.text)
	f.renew(a, cmd, args)
	limited, answer, ok := a.Look(now, f.args.Quantity)
	sh.mu.Unlock()
	if ok {
		f.answer(form, limited, answer, w)
	}
	return ok
}

// take answers a request, or begins to.
func (f *Front) take(form form, cmd *commands.Command, limit, args [][]byte, w *resp.Writer) {
	s, now, quantity := f.sidecar, f.time(), f.args.Quantity
	sh := s.shard(f.text)
	sh.mu.Lock()
	a := sh.table.Account(f.user.Name(), f.text)
	if a.WantsReport() {
		view(a, cmd.Name, limit)
	}
	f.renew(a, cmd, args)
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
			user: f.user, lane: f.lane,
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
