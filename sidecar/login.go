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

// outcome says what the answer of the hub means for the bound of guesses.
func outcome(err error) commands.Outcome {
	var no router.Refusal
	switch {
	case err == nil:
		return commands.Right
	case errors.As(err, &no) && no.IsFinal():
		return commands.Wrong
	}
	return commands.Unknown
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
		if text := f.sidecar.o.Hub.Denies(f.user); text != "" && cmd.Name == "hello" {
			f.reply(errorReply(errHelloNoAuth), w)
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
		var own commands.Error
		if !errors.As(err, &own) {
			own = commands.Error(lossText(err))
		}
		f.reply(errorReply(string(own)), w)
		return resp.Continue
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

// errHelloNoAuth is Redis's error of HELLO without AUTH.
const errHelloNoAuth = "NOAUTH HELLO must be called with the client already authenticated, otherwise the " +
	"HELLO AUTH <user> <pass> option can be used to authenticate the client and select the RESP protocol " +
	"version at the same time"

// identityIn returns the user that AUTH or HELLO names, and the words of HELLO without it. It reports false
// if the words name none, or if there is an error in them.
func identityIn(name string, args [][]byte) (id router.Identity, rest [][]byte, ok bool) {
	if name == "auth" {
		switch len(args) {
		case 2:
			return router.Identity{Password: string(args[1])}, nil, true
		case 3:
			return router.Identity{Name: string(args[1]), Password: string(args[2])}, nil, true
		}
		return id, nil, false
	}
	if version := string(args[min(1, len(args)-1)]); version != "2" && version != "3" {
		return id, nil, false // the error comes before AUTH
	}
	for i := 2; i < len(args); i++ {
		if i+2 < len(args) && commands.Is(args[i], "auth") {
			rest = append(append(rest, args[:i]...), args[i+3:]...)
			return router.Identity{Name: string(args[i+1]), Password: string(args[i+2])}, rest, true
		}
		i++ // the name after SETNAME
	}
	return id, nil, false
}

// become makes the client one of a user.
func (f *Front) become(user *router.User) {
	if f.user != user && f.user != f.sidecar.user {
		f.user.Release()
	}
	if f.user != user {
		f.user = user
		f.show()
	}
}

// show shows the user in the list of clients.
func (f *Front) show() { f.BecomeForeign(cmp.Or(f.user.Name(), "default")) }
