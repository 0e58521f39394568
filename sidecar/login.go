package sidecar

import (
	"cmp"
	"errors"
	"net/netip"
	"sync"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/router"
)

// login is an attempt to become a user of the hub.
type login struct {
	mu        sync.Mutex // guards the fields below
	done      bool
	abandoned bool // the client has left
	user      *router.User
	err       error
}

// begin asks the hub, and wakes the client when the answer is there. A client whose address has guessed too
// often gets the error at once: each question takes a connection to the hub.
func (l *login) begin(s *Sidecar, id router.Identity, client *commands.Link) {
	from := client.Host()
	if !from.IsValid() {
		from = netip.IPv4Unspecified() // all clients of a unix socket are one
	}
	answered, wait := s.o.Guesses.Begin(from, []byte(id.Name), []byte(id.Password))
	if wait > 0 {
		l.done, l.err = true, commands.ErrManyGuesses(wait)
		return
	}
	s.o.Hub.Login(id, func(user *router.User, err error) {
		answered(outcome(err))
		l.mu.Lock()
		l.done, l.user, l.err = true, user, err
		late := l.abandoned
		l.mu.Unlock()
		if late && user != nil {
			user.Release()
		}
		client.Peer.Wake()
	})
}

func (l *login) abandon() {
	l.mu.Lock()
	l.abandoned = true
	user, done := l.user, l.done
	l.mu.Unlock()
	if done && user != nil {
		user.Release()
	}
}

// logIn runs AUTH and HELLO. The hub checks the password.
func (f *Front) logIn(cmd *commands.Command, args [][]byte, w *resp.Writer) resp.Status {
	id, rest, asks := identityIn(cmd.Name, args)
	if !asks {
		if text := f.sidecar.o.Hub.Denies(f.user); text != "" && rest != nil {
			f.reply(errorReply(string(commands.ErrHelloNoAuth)), w)
			return resp.Continue
		}
		return f.greet(args, w)
	}
	if !f.order.wait(0) {
		return f.wait()
	}
	l := f.state.login
	if l == nil {
		l = &login{}
		f.state.login = l
		l.begin(f.sidecar, id, &f.Conn().Link)
	}
	l.mu.Lock()
	done, user, err := l.done, l.user, l.err
	l.mu.Unlock()
	if !done {
		return f.wait()
	}
	f.state.login = nil
	if err != nil {
		own, is := errors.AsType[commands.Error](err)
		if !is {
			own = commands.Error(lossText(err))
		}
		f.reply(errorReply(string(own)), w)
		return resp.Continue
	}
	if user == f.user {
		user.Release() // it counts this client already
	}
	f.become(user)
	if f.state.own != nil {
		f.state.own.tell("AUTH", cmp.Or(id.Name, "default"), id.Password)
	}
	if cmd.Name == "hello" {
		return f.greet(rest, w)
	}
	f.reply([]byte("+OK\r\n"), w)
	return resp.Continue
}

// greet answers HELLO. The client's own connection takes the protocol, too.
func (f *Front) greet(args [][]byte, w *resp.Writer) resp.Status {
	before := w.Proto
	st := f.handleLocal(args, w)
	if f.state.own != nil && w.Proto != before {
		f.state.own.tell("HELLO", number(int64(w.Proto)))
	}
	return st
}

// become makes the client one of a user.
func (f *Front) become(user *router.User) {
	if f.user != user && f.user != f.sidecar.user {
		f.sidecar.leave(f.user)
	}
	if f.user != user {
		f.user = user
		f.show()
	}
}

// show shows the user in the list of clients.
func (f *Front) show() { f.BecomeForeign(cmp.Or(f.user.Name(), "default")) }
