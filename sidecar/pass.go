package sidecar

import (
	"errors"

	"cellserver/router"
	"cellserver/sidecar/account"
)

// pass is a limiter's command that the hub decides. It is the sink of its reply. The command goes with MS, so
// that the account knows the answer to the millisecond. If the reply is an error, the client's own words go
// to the hub, and their reply is the reply: it names the client's words.
type pass struct {
	*waiter
	shard    *shard
	departed account.Time // at the earliest
	reply    []byte       // the pieces so far
	ended    bool         // the answer is there or late; shard.mu guards it
	held     bool         // it is not sent yet; shard.mu guards it
}

// newPass makes a question; mu is held. The caller sends it without the lock.
func (sh *shard) newPass(now account.Time, w *waiter) *pass {
	p := &pass{waiter: w, shard: sh, departed: now}
	sh.expect(now, p)
	return p
}

// send sends the question. Until the hub has answered once, it waits for that.
func (p *pass) send() {
	if p.hold(p.shard.sidecar.o.Hub.Up()) {
		return
	}
	command := withMillis([]byte(p.account.Command()), p.quantity)
	p.user.Send(p.lane, p.proto, &router.Request{Command: command, Sink: p})
}

// hold keeps a question for the first answer of the hub, unless the hub has answered before, or may do so.
func (p *pass) hold(mayAnswer bool) bool {
	if mayAnswer || p.shard.sidecar.o.Hub.Met() {
		return false
	}
	p.shard.mu.Lock()
	defer p.shard.mu.Unlock()
	p.held, p.shard.holds = true, true
	return true
}

// Reply implements [router.Sink].
func (p *pass) Reply(piece []byte, end bool) {
	if len(p.reply) < 4<<10 {
		p.reply = append(p.reply, piece...)
	}
	if !end {
		return
	}
	limited, answer, ok := p.form.read(p.reply)
	switch {
	case ok:
		p.answered(limited, answer)
	case isLoss(p.reply):
		p.late()
	default:
		if isRefusal(p.reply) {
			p.shard.sidecar.denied(p.account.User(), p.shard.sidecar.o.Clock())
		}
		if !p.end() { // the client has a reply
			return
		}
		p.user.Send(p.lane, p.proto, &router.Request{Command: p.own, Sink: &relayed{slot: p.slot}})
	}
}

// answered takes the hub's answer.
func (p *pass) answered(limited bool, answer account.Answer) {
	sh := p.shard
	sh.mu.Lock()
	p.ended = true
	now := sh.sidecar.o.Clock()
	p.account.Passed(now, p.departed, p.quantity, limited, answer)
	sh.sidecar.forgetOld(p.account, now, p.departed)
	sh.mu.Unlock()
	p.slot.write(p.form.reply(limited, answer), true)
}

// end notes the end of the question. It returns false if it has ended before.
func (p *pass) end() bool {
	p.shard.mu.Lock()
	defer p.shard.mu.Unlock()
	ended := p.ended
	p.ended = true
	return !ended
}

// Lost implements [router.Sink].
func (p *pass) Lost(err error) {
	if refusal, is := errors.AsType[router.Refusal](err); is && refusal.IsFinal() && p.end() {
		p.slot.write(errorReply(refusal.Error()), true)
		return
	}
	if !errors.As(err, &router.Unsent{}) || !p.hold(false) {
		p.late()
	}
}

func (p *pass) over() bool { return p.ended }

// late decides without the hub.
func (p *pass) late() {
	if !p.end() {
		return
	}
	s := p.shard.sidecar
	p.shard.mu.Lock()
	verdict, answer := s.withoutHub(p.account, s.o.Clock(), p.quantity)
	p.shard.mu.Unlock()
	p.slot.write(p.outcome(s, verdict, answer), true)
}

// outcome returns the reply of a decision without the hub.
func (r *request) outcome(s *Sidecar, verdict account.Verdict, answer account.Answer) []byte {
	if verdict == account.Pass {
		return errorReply(s.noHub())
	}
	return r.form.reply(verdict == account.Refused, answer)
}
