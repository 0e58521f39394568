package peer

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/hashicorp/raft"
)

// Pauses after an error of a listener, for example because the process has too many open files.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = time.Second
)

// Port accepts the connections of other nodes.
type Port struct {
	dialer *Dialer
	conns  *connections
	calls  answerer
	log    *slog.Logger
	ctx    context.Context
	cancel context.CancelFunc

	refused  atomic.Uint64
	ofReason seldom
}

// NewPort returns a port that proves itself as the dialer does. It returns an error if the secret or the
// certificates cannot be used.
func NewPort(dialer *Dialer, service Service, log *slog.Logger) (*Port, error) {
	if err := dialer.Security.Check(); err != nil {
		return nil, err
	}
	limits := dialer.Limits.orDefault()
	p := &Port{dialer: dialer, conns: newConnections(&limits), calls: answerer{service, &limits}, log: log}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	return p, nil
}

// Raft begins to serve the Raft messages of a group. The address is the one under which the other nodes know
// this node. The port refuses such messages until then, and after the StreamLayer is closed.
func (p *Port) Raft(group uint16, advertise string) (raft.StreamLayer, error) {
	return p.layer(route{kindRaft, group}, advertise)
}

// Entries begins to serve the entries of the log of a group, which have connections of their own. It does so
// as [Port.Raft] does.
func (p *Port) Entries(group uint16, advertise string) (raft.StreamLayer, error) {
	return p.layer(route{kindEntries, group}, advertise)
}

func (p *Port) layer(r route, advertise string) (raft.StreamLayer, error) {
	h, err := p.conns.addHandoff(r, address(advertise))
	if err != nil {
		return nil, err
	}
	return &stream{handoff: h, dialer: p.dialer, dialed: map[*dialed]struct{}{}}, nil
}

// Forwards begins to serve forwarded clients. The connections that the listener accepts begin with the bytes
// of the client, and have its address.
func (p *Port) Forwards() (net.Listener, error) {
	return p.conns.addHandoff(route{kindForward, 0}, address("passed on by other nodes"))
}

// Serve accepts connections until the listener or the port is closed. It closes the listener. It returns an
// error if the port may not serve at the address of the listener.
func (p *Port) Serve(ln net.Listener) error {
	defer func() { _ = ln.Close() }()
	defer context.AfterFunc(p.ctx, func() { _ = ln.Close() })()
	if err := p.dialer.Security.mayServe(ln.Addr()); err != nil {
		return err
	}
	for pause := firstPause; ; {
		raw, err := ln.Accept()
		switch {
		case p.ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			if err == nil {
				_ = raw.Close()
			}
			return nil
		case err != nil:
			p.log.Warn("the peer port cannot accept a connection: it tries again", "reason", err)
			sleep(p.ctx, pause)
			pause = min(2*pause, lastPause)
		default:
			pause = firstPause
			p.start(raw)
		}
	}
}

// Close closes all connections and listeners, and waits until their goroutines end.
func (p *Port) Close() {
	p.cancel()
	p.conns.close()
}

// start serves a connection on a goroutine of its own.
func (p *Port) start(raw net.Conn) {
	endPending, ok := p.conns.addPending(raw)
	if !ok {
		_ = raw.Close()
		return
	}
	go func() {
		defer p.conns.working.Done()
		authenticated, preface, err := p.authenticate(raw)
		endPending()
		if err == nil {
			err = p.dispatch(authenticated, preface)
		}
		if err != nil && !errors.Is(err, io.EOF) && p.ctx.Err() == nil {
			p.complain(raw.RemoteAddr(), err)
		}
	}()
}

// authenticate lets the other node prove itself, and gives the connection its place.
func (p *Port) authenticate(raw net.Conn) (*conn, purpose, error) {
	placed := false
	authenticated, preface, err := p.dialer.Security.accept(raw, func(preface purpose) Refusal {
		refusal := p.admit(preface)
		placed = refusal == accepted
		return refusal
	})
	if err == nil {
		if made, ok := p.conns.addOpen(authenticated, preface.Kind); ok {
			return made, preface, nil
		}
		_ = authenticated.Close()
		err = net.ErrClosed
	}
	if placed {
		p.conns.freePlace(preface.Kind)
	}
	return nil, preface, err
}

// admit decides whether an authenticated connection has a place.
func (p *Port) admit(preface purpose) Refusal {
	switch served := preface.Kind == kindCall || p.conns.handoff(route{preface.Kind, preface.Group}) != nil; {
	case p.isForeign(preface) && preface.Kind != kindCall:
		return otherCluster
	case !served:
		return notServed
	case !p.conns.takePlace(preface.Kind):
		return tooManyOpen
	}
	return accepted
}

// isForeign reports whether a connection comes from a node of another cluster, as far as this node knows now.
func (p *Port) isForeign(preface purpose) bool {
	own, none := p.dialer.cluster(), [20]byte{}
	return own != none && preface.Cluster != none && own != preface.Cluster
}

// dispatch serves an authenticated connection, or gives it to a listener.
func (p *Port) dispatch(c *conn, preface purpose) error {
	switch preface.Kind {
	case kindCall:
		defer func() { _ = c.Close() }()
		return p.calls.serve(p.ctx, c, func() bool { return p.isForeign(preface) })
	case kindForward:
		err := within(c, p.conns.limits.Step, func() error {
			client, err := readProxyLine(c)
			if client != nil {
				c.client = client
			}
			return err
		})
		if err != nil {
			_ = c.Close()
			return err
		}
	}
	if h := p.conns.handoff(route{preface.Kind, preface.Group}); h != nil {
		h.give(c)
		return nil
	}
	return c.Close()
}

// complain logs why a connection ended. It writes one line in logPause at most.
func (p *Port) complain(from net.Addr, reason error) {
	total := p.refused.Add(1)
	if p.ofReason.may() {
		p.log.Warn("the peer port closed a connection: see the reason",
			"from", from, "reason", reason, "total", total)
	}
}
