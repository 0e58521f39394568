package router

import (
	"context"
	"errors"
	"maps"
	"sync"
)

// The lanes of a user. Requests of one lane stay in their order, and wait for each other.
const (
	AskLane    = iota // questions of the sidecar itself
	watchLane         // whether the hub answers
	FirstRelay        // commands of clients
	relayLanes = 4
)

// Class says how long a command may take. Commands of different classes do not wait for each other.
type Class int

// The classes.
const (
	Brief   Class = iota
	Scripts       // as long as a script runs
	Long          // the longer, the more a key holds, or the more keys there are
)

// RelayLane returns the lane for the commands of a client.
func RelayLane(client int64, class Class) int {
	return FirstRelay + int(class)*relayLanes + int(uint64(client)%relayLanes)
}

// runsScripts reports whether a lane of clients is for scripts.
func runsScripts(lane int) bool { return (lane-FirstRelay)/relayLanes == int(Scripts) }

// User has the connections of one user of the hub.
type User struct {
	hub  *Hub
	id   Identity
	ctx  context.Context
	stop context.CancelCauseFunc // with what a further request gets
	// Hub.mu guards these two.
	refs     int  // clients
	accepted bool // the hub has accepted this user; false for one whose first login is under way

	mu    sync.Mutex // guards links
	links map[track]*link

	Rights sync.Map // what the hub has said last, by the full name of a command: its error, or ""
}

// Name returns the name of the user.
func (u *User) Name() string { return u.id.User() }

// again is how long a User waits before it opens a connection again that could not be opened, in nanoseconds.
const again = 50e6

// link returns the link for requests, and opens it if there is none. A link to a node that does not lead stays
// until it has all its replies. mu is held.
func (u *User) link(at place) (*link, error) {
	if u.ctx.Err() != nil {
		return nil, context.Cause(u.ctx)
	}
	if l := u.links[at.track]; l != nil && l.at == at {
		l.mu.Lock()
		err, wait := l.err, u.hub.o.Clock()-l.ended < again
		l.mu.Unlock()
		if err == nil || wait {
			return l, err
		}
	} else if l != nil && !l.retire() {
		return l, nil
	}
	l := u.start(u.ctx, at, nil)
	maps.DeleteFunc(u.links, func(_ track, l *link) bool { return l.at.address != at.address && l.retire() })
	u.links[at.track] = l
	return l, nil
}

// Send sends a request to the node that leads, and returns at once.
func (u *User) Send(lane, proto int, r *Request) {
	u.mu.Lock()
	err := u.send(track{proto, lane}, r)
	u.mu.Unlock()
	if err != nil {
		r.Sink.Lost(unsent(err))
	}
}

// send gives a request to the link of its track; mu is held.
func (u *User) send(of track, r *Request) error {
	at := place{u.hub.Leader(), of}
	l, err := u.link(at)
	if err != nil {
		return err
	}
	return l.send(r, l.at == at)
}

// passOn sends the requests that waited until a link has its replies. An error ends the link; then passOn
// returns the requests that the link loses.
func (u *User) passOn(l *link, why error) (lost []*Request) {
	u.mu.Lock()
	if why != nil {
		lost = l.fail(why)
	}
	waited := l.take()
	refused := make([]error, len(waited))
	for i, r := range waited {
		refused[i] = u.send(l.at.track, r)
	}
	u.mu.Unlock()
	for i, r := range waited {
		if refused[i] != nil {
			r.Sink.Lost(unsent(refused[i]))
		}
	}
	return lost
}

// unsent returns the error of a request that no link has taken.
func unsent(err error) error {
	if _, known := err.(Unsent); known {
		return err
	}
	return Unsent{err}
}

// failed notes why a link has ended, before its requests are lost.
func (u *User) failed(err error) {
	switch no, is := errors.AsType[Refusal](err); {
	case !is || !no.IsFinal():
	case u != u.hub.user:
		u.hub.forget(u, no)
	case !u.hub.barred.Swap(true): // upstream-user stays, and is tried again and again
		u.hub.refused(u, no)
	}
}

// Release says that a client does not use the User any more. The last one ends its connections.
func (u *User) Release() { u.hub.release(u) }

// abandon ends all links to a node.
func (u *User) abandon(address string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, l := range u.links {
		if l.at.address == address {
			l.stop(errSilent)
		}
	}
}
