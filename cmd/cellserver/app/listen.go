package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"cellserver/internal/config"
)

// socket is a place to listen.
type socket struct {
	network, address string // as for net.Listen
	tls              bool
	optional         bool // its address may not exist on this machine
}

// wanted returns where a configuration asks to listen: plain TCP, TLS, then the unix
// socket.
func wanted(cfg *config.Config) (all []socket) {
	for _, port := range []struct {
		number int
		tls    bool
	}{{cfg.Port, false}, {cfg.TLSPort, true}} {
		if port.number == 0 {
			continue
		}
		for _, bind := range cfg.Bind {
			host, optional := strings.CutPrefix(bind, "-")
			network, host := family(host)
			all = append(all, socket{network, net.JoinHostPort(host, strconv.Itoa(port.number)), port.tls, optional})
		}
	}
	if cfg.UnixSocket != "" {
		all = append(all, socket{network: "unix", address: inDir(cfg, cfg.UnixSocket)})
	}
	return all
}

// family returns the network and the address of a host in bind. IPv4 and IPv6 are
// listened to apart, as Redis does: "*" is all IPv4, "::*" all IPv6 addresses.
func family(host string) (network, address string) {
	switch ip := net.ParseIP(host); {
	case host == "*":
		return "tcp4", "0.0.0.0"
	case host == "::*":
		return "tcp6", "::"
	case ip == nil:
		return "tcp", host
	case ip.To4() != nil:
		return "tcp4", host
	}
	return "tcp6", host
}

// sockets are the open listeners.
type sockets struct {
	mu      sync.Mutex // guards what follows
	order   []socket   // the open ones
	open    map[socket]net.Listener
	serving bool
	closed  bool
}

// follow opens what a configuration asks for and closes what it does not. If that fails
// everything is as before, but for connections that were about to come.
func (s *sockets) follow(a *App, cfg *config.Config) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, after := s.order, wanted(cfg)
	if s.closed || slices.Equal(before, after) {
		return nil
	}
	err := s.change(a, cfg, after)
	if err != nil && len(before) > 0 {
		if again := s.change(a, cfg, before); again != nil {
			a.log.Error("cannot listen where the server did before", "error", again)
		}
	}
	return err
}

// change closes before it opens: a wildcard excludes the addresses that it covers.
func (s *sockets) change(a *App, cfg *config.Config, after []socket) error {
	for at, ln := range s.open {
		if !slices.Contains(after, at) {
			ln.Close()
			delete(s.open, at)
		}
	}
	s.order = nil
	for _, at := range after {
		ln := s.open[at]
		if ln == nil {
			var err error
			if ln, err = listen(at, cfg); err != nil {
				if at.optional && !errors.Is(err, syscall.EADDRINUSE) {
					a.log.Warn("an optional address is left out", "error", err)
					continue
				}
				return err
			}
			s.add(a, at, ln)
		}
		s.order = append(s.order, at)
	}
	if len(s.order) == 0 {
		return errors.New("cannot listen anywhere: none of the optional addresses exists")
	}
	return nil
}

// add takes a listener in.
func (s *sockets) add(a *App, at socket, ln net.Listener) {
	if s.open == nil {
		s.open = map[socket]net.Listener{}
	}
	s.open[at] = &listener{ln, a, at.tls}
	if s.serving {
		a.serve(s.open[at])
	}
}

// serve lets clients in.
func (s *sockets) serve(a *App) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serving = true
	for _, ln := range s.open {
		a.serve(ln)
	}
}

// serve accepts from a listener until it is closed.
func (a *App) serve(ln net.Listener) {
	go func() {
		if err := a.transport.Serve(ln); err != nil && !errors.Is(err, net.ErrClosed) {
			a.log.Error("a listener failed", "address", ln.Addr(), "error", err)
		}
	}()
}

// addresses are where the open listeners listen.
func (s *sockets) addresses() (all []net.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.order {
		all = append(all, s.open[at].Addr())
	}
	return all
}

// close ends listening for good; unix sockets are removed.
func (s *sockets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, ln := range s.open {
		ln.Close()
	}
}

// listen opens a listener. The error names the place and what can be done.
func listen(at socket, cfg *config.Config) (net.Listener, error) {
	if at.network == "unix" {
		return listenUnix(at.address, fs.FileMode(cfg.UnixSocketPerm))
	}
	tcp := net.ListenConfig{
		KeepAlive: -1, // connections get it when they are accepted
	}
	ln, err := tcp.Listen(context.Background(), at.network, at.address)
	if err != nil {
		return nil, cannotListen(at.address, err, "stop what listens there, or choose another port with --port")
	}
	setBacklog(ln.(*net.TCPListener), cfg.TCPBacklog)
	return ln, nil
}

// listenUnix opens a unix socket with these permissions, 0 for the umask's. A socket
// that a server left behind when it died is removed first.
func listenUnix(path string, perm fs.FileMode) (net.Listener, error) {
	if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
		conn.Close()
		return nil, cannotListen(path, syscall.EADDRINUSE, "stop what listens there, or choose another path with --unixsocket")
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		os.Remove(path)
	}
	ln, err := net.Listen("unix", path)
	if err == nil && perm != 0 {
		if err = os.Chmod(path, perm); err != nil {
			ln.Close()
		}
	}
	if err != nil {
		return nil, cannotListen(path, err, "remove what is there, or choose another path with --unixsocket")
	}
	return ln, nil
}

func cannotListen(where string, err error, advice string) error {
	err = fmt.Errorf("cannot listen on %s: %w", where, reason(err))
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}

// reason is the system's own error within err: what a user wants to read.
func reason(err error) error {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no
	}
	return err
}

// listener hands out connections that are set up as the configuration says.
type listener struct {
	net.Listener
	app *App
	tls bool
}

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if tcp, ok := nc.(*net.TCPConn); ok {
		keepAlive(tcp, l.app.commands.Config().TCPKeepAlive)
	}
	if l.tls {
		return tls.Server(nc, l.app.tls.current()), nil
	}
	return nc, nil
}
