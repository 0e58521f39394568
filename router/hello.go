package router

import (
	"bytes"
	"cmp"
	"context"
	"net"
	"strings"
)

// Identity is a user of the hub, by the words of AUTH. Without a password it is the user of a new connection.
// Without a name it is the default user.
type Identity struct{ Name, Password string }

// User returns the name of the user, "" for a connection that does not authenticate. Such a connection is not
// the default user: that may have a password.
func (i Identity) User() string {
	if i.Name == "" && i.Password != "" {
		return "default"
	}
	return i.Name
}

// auth returns the words of AUTH.
func (i Identity) auth() []string {
	if i.Name == "" {
		return []string{"AUTH", i.Password}
	}
	return []string{"AUTH", i.Name, i.Password}
}

// Refusal is the error with which the hub refuses a user. Its text is the hub's.
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return string(r) }

// IsFinal reports whether the hub does not accept the user. Other errors pass: the hub may have no room for a
// further connection.
func (r Refusal) IsFinal() bool {
	code, _, _ := strings.Cut(string(r), " ")
	return code == "WRONGPASS" || code == "NOAUTH" || code == "NOPERM"
}

// shutsOut reports whether a reply is the error of a node that ends each new connection: it has no room, or is
// in protected mode.
func shutsOut(reply []byte) bool {
	return string(reply) == tooManyClients || bytes.HasPrefix(reply, []byte("-DENIED "))
}

// refusal returns an error reply as an error.
func refusal(reply []byte) Refusal { return Refusal(strings.TrimRight(string(reply[1:]), "\r\n")) }

// Unsent is the loss of a request that the hub has not got.
type Unsent struct{ Reason error }

// Error implements error.
func (u Unsent) Error() string { return u.Reason.Error() }

// Unwrap returns the reason.
func (u Unsent) Unwrap() error { return u.Reason }

// Library is the name by which the hub knows the sidecars among its clients.
const Library = "cellserver-sidecar"

// hello writes the first commands of a connection. needed is how many of them must succeed.
func (h *Hub) hello(id Identity, at place, name string) (all []byte, replies, needed int) {
	add := func(words ...string) {
		all = AppendCommand(all, words...)
		replies++
	}
	if id != (Identity{}) {
		add(id.auth()...)
	}
	if at.proto == 3 {
		add("HELLO", "3")
	}
	needed = replies
	if name = cmp.Or(name, h.o.Name); name != "" {
		add("CLIENT", "SETNAME", name)
	}
	if at.lane == watchLane {
		add("CLIENT", "SETINFO", "LIB-NAME", Library)
		add("CLIENT", "SETINFO", "LIB-VER", h.o.Version)
	}
	return all, replies, needed
}

// open connects to a node, and says who asks. The name is that of one client, "" for several. It ends with
// ctx.
func (h *Hub) open(ctx context.Context, at place, id Identity, name string) (net.Conn, error) {
	ctx, stop := context.WithTimeoutCause(ctx, h.Patience(), errSilent)
	defer stop()
	conn, err := h.o.Dial(ctx, at.address)
	if err != nil {
		return nil, whyEnded(ctx, err)
	}
	done := context.AfterFunc(ctx, func() { _ = conn.Close() })
	err = h.greet(conn, at, id, name)
	if !done() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, whyEnded(ctx, err)
	}
	return conn, nil
}

// greet sends the first commands, and reads their replies and nothing more.
func (h *Hub) greet(conn net.Conn, at place, id Identity, name string) error {
	words, replies, needed := h.hello(id, at, name)
	if replies == 0 {
		return nil
	}
	if _, err := conn.Write(words); err != nil {
		return err
	}
	var buf []byte
	space := make([]byte, 4<<10)
	for i := range replies {
		var f frame
		for checked := 0; ; {
			n, done, err := f.scan(buf[checked:])
			if err != nil {
				return err
			}
			if checked += n; done {
				if buf[0] == '-' && (i < needed || shutsOut(buf[:checked])) {
					return refusal(buf[:checked])
				}
				buf = buf[checked:]
				break
			}
			if len(buf) > longestHeader {
				return errFrame
			}
			if n, err = conn.Read(space); err != nil {
				return err
			}
			buf = append(buf, space[:n]...)
		}
	}
	return nil
}
