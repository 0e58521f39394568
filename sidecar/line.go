package sidecar

import (
	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/limiters/rules"
	"cellserver/resp"
	"cellserver/sidecar/account"
)

// Line is a client without a socket, which sends one command at a time: a request over HTTP. Its replies go
// to the writer.
type Line struct {
	*Front
	peer    commands.Peer
	running bool   // a command waits for its reply
	reply   []byte // order.mu guards it

	out       resp.Writer  // the reply to a question that is there at once
	check     string       // see nameOf
	asksCheck bool         // the question goes as CL.CHECK
	departed  account.Time // when the question left
}

// ConnectLine returns the front of a new client without a socket.
func (s *Sidecar) ConnectLine(local Local, peer commands.Peer) *Line {
	l := &Line{peer: peer}
	l.Front = s.Connect(local, &collector{peer, l})
	return l
}

// collector keeps the replies of a Line. The order calls it with its lock.
type collector struct {
	commands.Peer
	line *Line
}

// Push implements [commands.Peer].
func (c *collector) Push(p []byte) {
	if len(c.line.reply) <= mostReplies {
		c.line.reply = append(c.line.reply, p...)
	}
}

// Handle runs a command. It returns Retry until the reply is there.
func (l *Line) Handle(args [][]byte, w *resp.Writer) resp.Status {
	asked, out := l.Conn().Link.Asked, w
	if !l.running {
		if asked != nil {
			args, out = l.ask(asked, args), &l.out
			out.Reset()
			out.Proto = w.Proto
		}
		st := l.Front.Handle(args, out)
		switch l.running = st == resp.Continue && l.order.state.Load(); {
		case l.running:
		case asked == nil || st != resp.Continue:
			return st
		default:
			l.end(out.Bytes(), w)
			return st
		}
	}
	if !l.order.wait(0) {
		return l.wait()
	}
	l.running = false
	l.order.mu.Lock()
	reply := l.reply
	l.reply = nil
	l.order.mu.Unlock()
	l.order.state.Store(false)
	l.end(reply, w)
	return resp.Continue
}

// end answers the question of the caller, or replies.
func (l *Line) end(reply []byte, w *resp.Writer) {
	switch asked := l.Conn().Link.Asked; {
	case len(reply) > mostReplies:
		reply = errorReply("NOHUB the hub's reply is too long: look at the hub")
	case len(reply) == 0 || reply[0] == '-' || asked == nil:
	case l.read(reply, asked):
		return
	default:
		reply = errorReply("NOHUB the hub's answer is none about rules: look at the hub")
	}
	w.Raw(reply)
}

// Closed ends the client.
func (l *Line) Closed() { l.Front.Closed() }

// ask returns the words with which a line asks a question: as CL.CHECK if a lease may answer it.
func (l *Line) ask(q *rules.Question, words [][]byte) [][]byte {
	l.check, l.departed = nameOf(q), l.time()
	if l.check != "" && l.sidecar.explained.isFresh(l.check, l.departed.Boot) {
		l.asksCheck = true
		return [][]byte{[]byte("CL.CHECK"), q.Pairs[0], q.Pairs[1], []byte("MS")}
	}
	l.asksCheck = false
	return append(words[:len(words):len(words)], []byte("MS"))
}

// read reads the reply to a question. It reports false if the reply is another one.
func (l *Line) read(reply []byte, q *rules.Question) bool {
	now, all := l.sidecar.o.Clock(), &l.sidecar.explained
	if l.asksCheck {
		if !readInts(reply, make([]int64, 5)) {
			return false
		}
		r := resp.ReplyOf(reply)
		r.Int()
		all.fill(l.check, now.Boot, readAnswer(&r), q)
		return true
	}
	if !readQuestion(reply, q) {
		return false
	}
	if l.check != "" && len(reply) <= longReply {
		all.keep(l.check, now.Boot, q)
		if units, ok := l.tell(now, q); ok {
			q.Policies = q.Policies[:0]
			all.fill(l.check, now.Boot, units, q)
		}
	}
	return true
}

// tell tells the account of a question what the hub has said and counted without it. In the mode report the
// next charge tells it. If the hub refuses, and a unit is left here, that unit allows the request.
func (l *Line) tell(now account.Time, q *rules.Question) (units limiters.Answer, ok bool) {
	if q.Shadow || l.sidecar.o.Settings().Interval > 0 {
		return units, false
	}
	l.setLimit("cl.check", q.Pairs, nil)
	a := &q.Tightest
	answer := account.Answer{
		Limit: a.Limit, Remaining: a.Remaining,
		RetryAfter: millis(a.RetryAfter), ResetAfter: millis(a.ResetAfter),
	}
	sh := &l.sidecar.shards[shardOf(l.limit.key())]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	of := l.account(sh)
	of.Passed(now, l.departed, 1, a.Limited, answer)
	l.sidecar.forgetOld(of, now, l.departed)
	if !a.Limited {
		return units, false
	}
	answer, ok = of.Spend(now, 1)
	return limiters.Answer{
		Limit: answer.Limit, Remaining: answer.Remaining,
		RetryAfter: nanos(answer.RetryAfter), ResetAfter: nanos(answer.ResetAfter),
	}, ok
}
