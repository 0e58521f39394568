package app

import (
	"cmp"
	"net"
	"net/netip"
	"strings"

	"cellserver/cluster"
	"cellserver/cluster/peer"
	"cellserver/internal/config"
	"cellserver/internal/topology"
)

// mayReach returns an error if nodes prove nothing to each other, and bind or the list has an address that
// is no loopback address.
func mayReach(s *peer.Security, bind []string, list []topology.Address) error {
	var hosts []string
	for _, host := range bind {
		if host = strings.TrimPrefix(host, "-"); config.LoopbackOf(host) == "" { // then the port listens on loopback addresses
			hosts = append(hosts, host)
		}
	}
	for _, a := range list {
		hosts = append(hosts, a.Host)
	}
	for _, host := range hosts {
		if _, err := netip.ParseAddr(host); err != nil {
			continue // a name may mean a loopback address
		}
		if err := s.MayListen(host); err != nil {
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
	ports, err := a.peers.doors.OpenSentinel(&a.sockets, cfg)
	if err != nil {
		return err
	}
	a.member.OpenSentinel(ports) // other nodes ask for them as soon as the peer port is open
	security := a.certificates.Peers(cfg)
	port, _ := cfg.PeerPort()
	err = a.sockets.OpenPort(cfg.Bind, port, "cluster-port", func(host string) (string, error) {
		if !security.Proves() {
			host = cmp.Or(config.LoopbackOf(host), host)
		}
		return host, security.MayListen(host)
	}, a.member.Serve)
	if err != nil {
		return err
	}
	return a.listenForProxy(cfg)
}

// listenForProxy serves the clients that other nodes pass on, and opens proxy-port.
func (a *App) listenForProxy(cfg *config.Config) error {
	forwards, err := a.member.Forwards()
	if err != nil {
		return err
	}
	peerPort, _ := cfg.PeerPort()
	a.peers.doors.Add(peerPort)
	a.sockets.AcceptFrom(forwards)
	if cfg.Cluster.ProxyPort == 0 {
		return nil
	}
	accept := func(ln net.Listener) {
		a.sockets.AcceptFrom(&proxyListener{a.sockets.KeptAlive(ln), a.member})
	}
	_, err = a.peers.doors.Open(&a.sockets, cfg.Bind, cfg.Cluster.ProxyPort, "proxy-port", accept)
	return err
}

// proxyListener accepts clients of proxy-port. A leader serves them by itself. Another node passes them on
// to the leader.
type proxyListener struct {
	net.Listener
	member *cluster.Member
}

// Accept waits for a client that this node serves by itself.
func (l *proxyListener) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil || l.member.Epoch() != 0 {
			return nc, err
		}
		go l.member.PassOn(nc)
	}
}
