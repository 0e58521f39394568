package sidecar

import (
	"context"
	"net"
	"sync"
	"time"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/router"
)

// pin is the connection to the hub of one client. All commands of the client go over it, and what comes back
// goes to the client as it is.
type pin struct {
	peer commands.Peer
	ctx  context.Context
	stop context.CancelFunc
	wake chan struct{} // something is to be written; has room for one

	mu    sync.Mutex // guards the fields below
	open  bool       // the connection is there
	err   error      // why there is none
	out   []byte     // what is not written yet
	waits bool       // the client waits until little is left in out
	reset reset
}

// reset says how far RESET is. The hub gets RESET and QUIT: it sends the replies that are due, and closes.
type reset uint8

const (
	notReset  reset = iota
	resetting       // lastReplies are still to come, and are not for the client
	isReset         // the connection has ended
)

// mostPinned bounds the bytes of commands that wait to be written, and of replies that wait for the client.
const mostPinned = 1 << 20

// pinTo gives the client a connection of its own, and sends the command over it.
func (f *Front) pinTo(args [][]byte, w *resp.Writer) resp.Status {
	if !f.order.wait(0) {
		return f.wait()
	}
	p := &pin{peer: f.order.peer, wake: make(chan struct{}, 1)}
	p.ctx, p.stop = context.WithCancel(context.Background())
	f.state.pin = p
	f.pinned.Store(true)
	go p.run(f.user, w.Proto, f.Local.Conn().Identity.Name)
	return f.relayPinned(args, w)
}

// relayPinned sends a command over the client's own connection. It waits while the connection opens.
func (f *Front) relayPinned(args [][]byte, w *resp.Writer) resp.Status {
	p := f.state.pin
	p.mu.Lock()
	if !p.open && p.err == nil || len(p.out) > mostPinned {
		p.waits = true
		p.mu.Unlock()
		return f.wait()
	}
	err := p.err
	if err == nil {
		p.out = router.AppendCommand(p.out, args...)
	}
	p.mu.Unlock()
	if err != nil {
		f.state.pin = nil
		f.pinned.Store(false)
		f.reply(errorReply(lossText(err)), w)
		return resp.Continue
	}
	f.order.state.Store(true) // its replies are messages
	select {
	case p.wake <- struct{}{}:
	default:
	}
	return resp.Continue
}

// resetPinned runs RESET as soon as the client's own connection has ended.
func (f *Front) resetPinned(args [][]byte, w *resp.Writer) resp.Status {
	p := f.state.pin
	p.mu.Lock()
	ended := p.err != nil || p.reset == isReset
	if p.open && p.reset == notReset {
		p.reset = resetting
		p.out = router.AppendCommand(router.AppendCommand(p.out, "RESET"), "QUIT")
		select {
		case p.wake <- struct{}{}:
		default:
		}
	}
	p.mu.Unlock()
	if !ended {
		return f.wait()
	}
	f.state.pin = nil
	f.pinned.Store(false)
	return f.Handle(args, w)
}

// run opens the connection and relays until its end.
func (p *pin) run(user *router.User, proto int, name string) {
	conn, err := user.Pin(p.ctx, proto, name)
	p.mu.Lock()
	p.open, p.err = err == nil, err
	p.mu.Unlock()
	p.peer.Wake()
	if err != nil {
		p.stop()
		return
	}
	done := context.AfterFunc(p.ctx, func() { _ = conn.Close() })
	go p.write(conn)
	p.read(conn)
	p.stop()
	done()
	_ = conn.Close()
	p.mu.Lock()
	ended := p.reset == isReset
	p.mu.Unlock()
	if ended {
		p.peer.Wake()
		return
	}
	p.peer.CloseAfterReply()
}

// write sends the client's commands.
func (p *pin) write(conn net.Conn) {
	for {
		select {
		case <-p.wake:
		case <-p.ctx.Done():
			return
		}
		p.mu.Lock()
		next := p.out
		p.out = nil
		waits := p.waits
		p.waits = false
		p.mu.Unlock()
		_, err := conn.Write(next)
		if waits {
			p.peer.Wake()
		}
		if err != nil {
			p.stop()
			return
		}
	}
}

// slowReader is how long the hub waits for a client that does not read its replies, before it is asked again.
const slowReader = 2 * time.Millisecond

// read passes on what the hub sends. While much waits for the client, nothing is read.
func (p *pin) read(conn net.Conn) {
	buf := make([]byte, 16<<10)
	var last []byte
	for {
		n, err := conn.Read(buf)
		last = p.pass(last, buf[:n])
		if err != nil {
			p.end(last)
			return
		}
		for p.peer.Pending() > mostPinned {
			select {
			case <-time.After(slowReader):
			case <-p.ctx.Done():
				return
			}
		}
	}
}

// lastReplies are those to RESET and QUIT.
const lastReplies = "+RESET\r\n+OK\r\n"

// pass passes on what the hub sent, and returns the bytes that it keeps: they may be lastReplies.
func (p *pin) pass(last, next []byte) []byte {
	p.mu.Lock()
	keeps := p.reset == resetting
	p.mu.Unlock()
	n := 0
	if last = append(last, next...); keeps {
		n = min(len(last), len(lastReplies))
	}
	if all := last[:len(last)-n]; len(all) > 0 {
		p.peer.Push(all)
	}
	return append(last[:0], last[len(last)-n:]...)
}

// end notes the end of the connection, and what the hub sent last.
func (p *pin) end(last []byte) {
	if string(last) != lastReplies {
		p.peer.Push(last)
		return
	}
	p.mu.Lock()
	p.reset = isReset
	p.mu.Unlock()
}

// close ends the relay.
func (p *pin) close() { p.stop() }
