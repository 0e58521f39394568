package listen

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"cellserver/internal/config"
)

// Sockets are the open listeners for clients.
type Sockets struct {
	Log          *slog.Logger
	Serve        func(net.Listener) error // accepts until the listener is closed
	Config       func() *config.Config    // the configuration in force
	Certificates *Certificates
	Inherited    Inherited

	mu        sync.Mutex // guards the fields below
	order     []endpoint // the open ones
	open      map[endpoint]net.Listener
	accepting bool
	closed    bool
}

// Configure opens the listeners of a configuration and closes all others. If that fails, it opens the
// previous listeners again; connections that wait to be accepted may be lost.
func (s *Sockets) Configure(cfg *config.Config) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, after := s.order, endpoints(cfg)
	if s.closed || slices.Equal(before, after) {
		return nil
	}
	err := s.change(cfg, after)
	if err != nil && len(before) > 0 {
		if again := s.change(cfg, before); again != nil {
			s.Log.Error("the previous listeners could not be opened again: set bind and port with CONFIG SET",
				"error", again)
		}
	}
	return err
}

// change closes listeners before it opens others: a wildcard and an address that it covers exclude each
// other.
func (s *Sockets) change(cfg *config.Config, after []endpoint) error {
	for e, ln := range s.open {
		if !slices.Contains(after, e) {
			ln.Close()
			delete(s.open, e)
		}
	}
	s.order = nil
	for _, e := range after {
		if s.open[e] == nil {
			ln, err := listen(e, s.Inherited, cfg)
			if err != nil && e.optional && !errors.Is(err, syscall.EADDRINUSE) {
				s.Log.Warn("an optional address is skipped", "error", err)
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
func (s *Sockets) add(e endpoint, ln net.Listener) {
	if s.open == nil {
		s.open = map[endpoint]net.Listener{}
	}
	s.open[e] = &listener{ln, s, e.tls}
	if s.accepting {
		s.AcceptFrom(s.open[e])
	}
}

// AcceptClients accepts clients from now on.
func (s *Sockets) AcceptClients() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.accepting = true
	for _, ln := range s.open {
		s.AcceptFrom(ln)
	}
}

// AcceptFrom accepts from one listener until it is closed.
func (s *Sockets) AcceptFrom(ln net.Listener) {
	go func() {
		if err := s.Serve(ln); err != nil && !errors.Is(err, net.ErrClosed) {
			s.Log.Error("a listener failed and accepts no more clients: restart the server",
				"address", ln.Addr(), "error", err)
		}
	}()
}

// Addresses returns the addresses of the open listeners, in the order of [endpoints].
func (s *Sockets) Addresses() (all []net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.order {
		all = append(all, s.open[e].Addr())
	}
	return all
}

// Close closes the listeners for good and removes their unix sockets.
func (s *Sockets) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, ln := range s.open {
		ln.Close()
	}
}

// OpenPort opens a port at each host of `bind`. The system chooses the port if it is 0. `allow` returns the
// host to listen at, or refuses it. `use` gets each listener. An optional host may not exist. `directive` is
// that of the port.
func (s *Sockets) OpenPort(
	bind []string, port int, directive string,
	allow func(host string) (string, error), use func(net.Listener),
) error {
	seen := map[string]bool{}
	for _, name := range bind {
		name, optional := strings.CutPrefix(name, "-")
		network, host := family(name)
		host, err := allow(host)
		if err != nil {
			return err
		}
		if seen[host] {
			continue
		}
		seen[host] = true
		address := net.JoinHostPort(host, strconv.Itoa(port))
		ln, err := s.Inherited.listenTCP(network, address)
		switch {
		case err == nil:
			port = portOf(ln.Addr()) // of all hosts, also if the system has chosen it
			use(ln)
		case optional:
			s.Log.Warn("an optional address is skipped", "error", err)
		default:
			return cannotListen(address, err,
				"stop what listens there, or choose another port with --"+directive,
				"check --bind and --"+directive)
		}
	}
	return nil
}

// KeptAlive returns a listener that gives connections the TCP keepalive of the configuration in force.
func (s *Sockets) KeptAlive(ln net.Listener) net.Listener { return &listener{ln, s, false} }

// listener accepts connections with the TCP keepalive and the certificates of the configuration in force.
type listener struct {
	net.Listener
	sockets *Sockets
	tls     bool
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := nc.(*net.TCPConn); ok {
		keepAlive(tcp, l.sockets.Config().TCPKeepAlive)
	}
	if l.tls {
		return tls.Server(nc, l.sockets.Certificates.Current()), nil
	}
	return nc, nil
}

// keepAlive probes a silent connection after this number of seconds. As in Redis, it closes the connection
// after three probes without an answer; a third of that time lies between two probes. 0 switches it off.
func keepAlive(tcp *net.TCPConn, seconds int) {
	idle := time.Duration(seconds) * time.Second
	tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: idle > 0, Idle: idle, Interval: max(idle/3, time.Second), Count: 3})
}
