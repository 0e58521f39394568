package app

import (
	"crypto/tls"
	"errors"
	"net"
	"slices"
	"sync"
	"syscall"
	"time"

	"cellserver/internal/config"
)

// sockets are the open listeners for clients.
type sockets struct {
	log          *logger
	serve        func(net.Listener) error // accepts until the listener is closed
	config       func() *config.Config    // the configuration in force
	certificates *certificates
	inherited    inherited

	mu        sync.Mutex // guards the fields below
	order     []endpoint // the open ones
	open      map[endpoint]net.Listener
	accepting bool
	closed    bool
}

// configure opens the listeners of a configuration and closes all others. If that fails, it opens the
// previous listeners again; connections that wait to be accepted may be lost.
func (s *sockets) configure(cfg *config.Config) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, after := s.order, endpoints(cfg)
	if s.closed || slices.Equal(before, after) {
		return nil
	}
	err := s.change(cfg, after)
	if err != nil && len(before) > 0 {
		if again := s.change(cfg, before); again != nil {
			s.log.Error("the previous listeners could not be opened again: set bind and port with CONFIG SET",
				"error", again)
		}
	}
	return err
}

// change closes listeners before it opens others: a wildcard and an address that it covers exclude each
// other.
func (s *sockets) change(cfg *config.Config, after []endpoint) error {
	for e, ln := range s.open {
		if !slices.Contains(after, e) {
			ln.Close()
			delete(s.open, e)
		}
	}
	s.order = nil
	for _, e := range after {
		if s.open[e] == nil {
			ln, err := listen(e, s.inherited, cfg)
			if err != nil && e.optional && !errors.Is(err, syscall.EADDRINUSE) {
				s.log.Warn("an optional address is skipped", "error", err)
				continue
			}
			if err != nil {
				return err
			}
			s.add(e, ln)
		}
		s.order = append(s.order, e)
	}
	if len(s.order) == 0 {
		return errors.New("cannot listen: none of the optional addresses exists: name another one with --bind")
	}
	return nil
}

// add stores a new listener.
func (s *sockets) add(e endpoint, ln net.Listener) {
	if s.open == nil {
		s.open = map[endpoint]net.Listener{}
	}
	s.open[e] = &listener{ln, s, e.tls}
	if s.accepting {
		s.acceptFrom(s.open[e])
	}
}

// accept accepts clients from now on.
func (s *sockets) accept() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepting = true
	for _, ln := range s.open {
		s.acceptFrom(ln)
	}
}

// acceptFrom accepts from one listener until it is closed.
func (s *sockets) acceptFrom(ln net.Listener) {
	go func() {
		if err := s.serve(ln); err != nil && !errors.Is(err, net.ErrClosed) {
			s.log.Error("a listener failed and accepts no more clients: restart the server",
				"address", ln.Addr(), "error", err)
		}
	}()
}

// addresses returns the addresses of the open listeners, in the order of [endpoints].
func (s *sockets) addresses() (all []net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.order {
		all = append(all, s.open[e].Addr())
	}
	return all
}

// close closes the listeners for good and removes their unix sockets.
func (s *sockets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, ln := range s.open {
		ln.Close()
	}
}

// listener accepts connections with the TCP keepalive and the certificates of the configuration in force.
type listener struct {
	net.Listener
	sockets *sockets
	tls     bool
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := nc.(*net.TCPConn); ok {
		keepAlive(tcp, l.sockets.config().TCPKeepAlive)
	}
	if l.tls {
		return tls.Server(nc, l.sockets.certificates.current()), nil
	}
	return nc, nil
}

// keepAlive probes a silent connection after this number of seconds. As in Redis, it closes the connection
// after three probes without an answer; a third of that time lies between two probes. 0 switches it off.
func keepAlive(tcp *net.TCPConn, seconds int) {
	idle := time.Duration(seconds) * time.Second
	tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: idle > 0, Idle: idle, Interval: max(idle/3, time.Second), Count: 3})
}
