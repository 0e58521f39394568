package app

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"cellserver/cluster"
	"cellserver/cluster/peer"
	"cellserver/internal/config"
	"cellserver/internal/topology"
)

// mayReach returns an error if the peer port listens on loopback addresses only, and other machines are
// listed.
func mayReach(s *peer.Security, list []topology.Address) error {
	for _, a := range list {
		if _, err := netip.ParseAddr(a.Host); err != nil {
			continue // a name may mean a loopback address
		}
		if err := s.MayListen(a.Host); err != nil {
			return err
		}
	}
	return nil
}

// listenForPeers opens the port for other nodes. Nodes that prove nothing to each other listen on loopback
// addresses only.
func (a *App) listenForPeers(cfg *config.Config) error {
	if a.member == nil {
		return nil
	}
	security, seen := a.certificates.peers(cfg), map[string]bool{}
	for _, bind := range cfg.Bind {
		host, optional := strings.CutPrefix(bind, "-")
		network, host := family(host)
		if !security.Proves() && isWildcard(host) {
			host = map[string]string{"0.0.0.0": "127.0.0.1", "::": "::1"}[host]
		}
		if seen[host] {
			continue
		}
		seen[host] = true
		if err := security.MayListen(host); err != nil {
			return err
		}
		port, _ := cfg.PeerPort()
		ln, err := a.listenAt(network, host, port, optional, "cluster-port")
		if err != nil {
			return err
		}
		if ln != nil {
			a.member.Serve(ln)
		}
	}
	return a.listenForProxy(cfg)
}

// listenAt opens a listener. It is nil if an optional address does not exist.
func (a *App) listenAt(network, host string, port int, optional bool, directive string) (net.Listener, error) {
	address := net.JoinHostPort(host, strconv.Itoa(port))
	ln, err := a.sockets.inherited.listenTCP(network, address)
	switch {
	case err != nil && optional:
		a.log.Warn("an optional address is skipped", "error", err)
		return nil, nil
	case err != nil:
		return nil, cannotListen(address, err,
			"stop what listens there, or choose another port with --"+directive,
			"check --bind and --"+directive)
	}
	return ln, nil
}

// listenForProxy serves the clients that other nodes pass on, and opens proxy-port.
func (a *App) listenForProxy(cfg *config.Config) error {
	forwards, err := a.member.Forwards()
	if err != nil {
		return err
	}
	a.sockets.acceptFrom(forwards)
	if cfg.Cluster.ProxyPort == 0 {
		return nil
	}
	for _, bind := range cfg.Bind {
		host, optional := strings.CutPrefix(bind, "-")
		network, host := family(host)
		ln, err := a.listenAt(network, host, cfg.Cluster.ProxyPort, optional, "proxy-port")
		if err != nil {
			return err
		}
		if ln != nil {
			a.proxies = append(a.proxies, ln)
			a.sockets.acceptFrom(&proxyListener{&listener{ln, &a.sockets, false}, a.member})
		}
	}
	return nil
}

// closeProxies closes the listeners of proxy-port.
func (a *App) closeProxies() (err error) {
	for _, ln := range a.proxies {
		err = errors.Join(err, ln.Close())
	}
	return err
}

// proxyListener accepts clients of proxy-port. A leader serves them by itself. Another node passes them on
// to the leader.
type proxyListener struct {
	*listener
	member *cluster.Member
}

// Accept waits for a client that this node serves by itself.
func (l *proxyListener) Accept() (net.Conn, error) {
	for {
		nc, err := l.listener.Accept()
		if err != nil || l.member.Epoch() != 0 {
			return nc, err
		}
		go l.member.PassOn(nc)
	}
}
