package router

import (
	"bytes"
	"errors"
	"net"
	"sync/atomic"
	"time"

	"cellserver/internal/decimal"
)

// watched is what the Hub knows of the nodes by asking them again and again.
type watched struct {
	up       atomic.Bool
	met      atomic.Bool  // it has answered
	lost     atomic.Bool  // the log says that it does not answer in time
	unsure   atomic.Bool  // a reply MOVED names an unknown node
	lag      atomic.Int64 // nanoseconds of the last answer
	sidecars atomic.Int64 // how many the hub has
	denied   atomic.Pointer[string]
	user     *User             // the one that asks
	barred   atomic.Bool       // the hub does not accept this user
	dropUser func(name string) // of whom the hub does not accept any more; may be nil
}

// Denies returns the error with which the hub refuses a client that has not authenticated, "" if it does not.
func (w *watched) Denies(u *User) string {
	if text := w.denied.Load(); text != nil && u == w.user {
		return *text
	}
	return ""
}

// Up reports whether the hub has answered lately.
func (w *watched) Up() bool { return w.up.Load() }

// InTime reports whether the hub answers in time: what the log says of it.
func (w *watched) InTime() bool { return w.up.Load() && !w.lost.Load() }

// Met reports whether the hub has answered since the start.
func (w *watched) Met() bool { return w.met.Load() }

// answered notes that a reply has come.
func (w *watched) answered() {
	if !w.met.Load() {
		w.met.Store(true)
	}
	if !w.up.Load() {
		w.up.Store(true)
	}
}

// Lag returns how long the last answer took.
func (w *watched) Lag() time.Duration { return time.Duration(w.lag.Load()) }

// Sidecars returns how many sidecars the hub has, at least one.
func (w *watched) Sidecars() int64 { return max(w.sidecars.Load(), 1) }

const (
	watchEvery = 250 * time.Millisecond
	watchLost  = 50 * time.Millisecond // while the hub does not answer
	countEvery = 40                    // rounds between two questions for the number of sidecars, at most
	countLeast = 4                     // rounds, at least
	lateMost   = 4                     // so many more late answers than early ones are a loss
)

// untilCount returns how many rounds the number of sidecars counts. All sidecars together ask about ten
// times a second, up to a hundred sidecars.
func (w *watched) untilCount() int {
	return int(min(max(w.Sidecars()*countLeast/10, countLeast), countEvery))
}

// Watch asks the hub four times a second whether it answers, over connections of a user, until Close. A node
// that stays silent is abandoned: its requests are lost, and the next node is asked. Watch calls `dropUser`
// with the name of each user whom the hub does not accept any more. The log says that a hub whose answers are
// late is lost, too: decisions do not wait for them. Call Watch once, before the first client.
func (h *Hub) Watch(u *User, dropUser func(name string)) {
	h.user, h.dropUser = u, dropUser
	h.up.Store(true)
	h.running.Go(func() {
		late := 0
		for left := 0; ; left-- {
			pause, node := watchEvery, h.Leader()
			err := h.probe(left <= 0)
			switch {
			case err != nil:
				h.up.Store(false)
				pause, left = watchLost, 1
			case left <= 0:
				left = h.untilCount()
			}
			if late = h.stillLate(late); err == nil && (late == lateMost || h.lost.Load() && late > 0) {
				err = errLate
			}
			if isLost := err != nil; h.lost.Load() != isLost && h.ctx.Err() == nil {
				h.lost.Store(isLost)
				h.logLoss(node, err)
			}
			select {
			case <-time.After(pause):
			case <-h.ctx.Done():
				return
			}
		}
	})
}

// stillLate counts the last answer: up if it came after the timeout, and else down.
func (h *Hub) stillLate(late int) int {
	if h.Lag() > h.o.Timeout() {
		return min(late+1, lateMost)
	}
	return max(late-1, 0)
}

// logLoss says that a node of the hub does not answer in time, or that one answers again.
func (h *Hub) logLoss(node string, err error) {
	if err == nil {
		h.o.Log.Info("the hub answers again", "node", node)
		return
	}
	h.o.Log.Warn("the hub does not answer in time: upstream-lost decides what no lease covers",
		"node", node, "error", err)
}

// probe asks the hub something that it answers at once, and waits for the answer. It abandons the node if
// there is none.
func (h *Hub) probe(counts bool) error {
	command := AppendCommand(nil, "PING")
	switch {
	case counts:
		command = AppendCommand(nil, "INFO", "clients")
	case h.unsure.Swap(false), len(h.o.Addresses) > 1:
		command = AppendCommand(nil, "CLUSTER", "SLOTS")
	}
	began, leader, answered := h.o.Clock(), h.Leader(), make(chan error, 1)
	h.user.Send(watchLane, 2, &Request{Command: command, Sink: Whole(func(reply []byte, err error) {
		switch no, refused := errors.AsType[Refusal](err); {
		case err == nil:
			h.lag.Store(h.o.Clock() - began)
			h.barred.Store(false)
			h.count(reply)
			if address, ok := leaderIn(reply); ok {
				h.Lead(address)
			}
			h.noteDenial(reply)
		case refused && no.IsFinal(): // the hub answers: other users may have more luck
			err = nil
		}
		answered <- err
	})})
	select {
	case err := <-answered:
		return err
	case <-time.After(h.Patience()):
		h.abandon(leader)
		return errSilent
	case <-h.ctx.Done():
		return errClosed
	}
}

// noteDenial notes whether the hub wants a password of the user that asks.
func (h *Hub) noteDenial(reply []byte) {
	if bytes.HasPrefix(reply, []byte("-NOAUTH")) {
		text := refusal(reply).Error()
		h.denied.Store(&text)
		return
	}
	h.denied.Store(nil)
}

// leaderIn reads the address of the first range's leader from the reply of CLUSTER SLOTS.
func leaderIn(reply []byte) (address string, ok bool) {
	const host, port, some = 6, 7, 9 // lines
	lines := bytes.SplitN(reply, []byte("\r\n"), some)
	isList := len(lines) == some && bytes.HasPrefix(reply, []byte("*"))
	if !isList || !bytes.HasPrefix(lines[host-1], []byte("$")) {
		return "", false
	}
	return net.JoinHostPort(string(lines[host]), string(bytes.TrimPrefix(lines[port], []byte(":")))), true
}

// count reads the number of sidecars from INFO.
func (h *Hub) count(reply []byte) {
	_, after, found := bytes.Cut(reply, []byte("connected_sidecars:"))
	digits, _, _ := bytes.Cut(after, []byte("\r\n"))
	if n, ok := decimal.Parse(digits); found && ok {
		h.sidecars.Store(n)
	}
}

// abandon ends the connections of all users to a node that stays silent.
func (h *Hub) abandon(address string) {
	h.mu.Lock()
	var users []*User
	for _, u := range h.users {
		users = append(users, u)
	}
	h.mu.Unlock()
	for _, u := range users {
		u.abandon(address)
	}
	h.away(address)
}
