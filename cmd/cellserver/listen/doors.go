package listen

import (
	"errors"
	"net"
	"slices"
	"sync"

	"cellserver/internal/config"
	"cellserver/internal/topology"
)

// Doors are the ports for clients that do not know slots: proxy-port and the ports for Sentinel mode. Other
// nodes pass such clients on to the peer port.
type Doors struct {
	mu    sync.Mutex // guards the fields below
	open  []net.Listener
	ports []int
}

// Add says that clients who come to a port do not know slots.
func (d *Doors) Add(port int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ports = append(d.ports, port)
}

// Has reports whether the clients of a local address do not know slots.
func (d *Doors) Has(local net.Addr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Contains(d.ports, portOf(local))
}

// Close closes the listeners.
func (d *Doors) Close() (err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, ln := range d.open {
		err = errors.Join(err, ln.Close())
	}
	return err
}

// Open opens a port on all addresses of `bind`, and returns its number: the system chooses it if it is 0.
// `accept` accepts clients from each listener. After an error no listener is open.
func (d *Doors) Open(
	s *Sockets, bind []string, port int, directive string, accept func(net.Listener),
) (int, error) {
	var open []net.Listener
	anyHost := func(host string) (string, error) { return host, nil }
	note := func(ln net.Listener) { open = append(open, ln) }
	if err := s.OpenPort(bind, port, directive, anyHost, note); err != nil {
		for _, ln := range open {
			_ = ln.Close()
		}
		return 0, err
	}
	for _, ln := range open {
		port = portOf(ln.Addr())
		d.Add(port)
		accept(ln)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open = append(d.open, open...)
	return port, nil
}

// OpenSentinel opens the ports for Sentinel mode, and returns their numbers.
func (d *Doors) OpenSentinel(s *Sockets, cfg *config.Config) (ports topology.Ports, err error) {
	usual, own := cfg.SentinelPorts(), cfg.Cluster.Sentinel
	if ports.Plain, err = d.openSentinel(s, cfg.Bind, usual.Plain, own.Plain, false); err == nil {
		ports.TLS, err = d.openSentinel(s, cfg.Bind, usual.TLS, own.TLS, true)
	}
	return ports, err
}

// openSentinel opens one port for Sentinel mode. If it is not the owner's choice, and is in use, the system
// chooses one: clients ask SENTINEL for it.
func (d *Doors) openSentinel(s *Sockets, bind []string, port, own int, tls bool) (int, error) {
	if port == 0 {
		return 0, nil
	}
	directive := map[bool]string{false: "sentinel-port", true: "sentinel-tls-port"}[tls]
	accept := func(ln net.Listener) { s.AcceptFrom(&listener{ln, s, tls}) }
	if port > 0 {
		opened, err := d.Open(s, bind, port, directive, accept)
		if err == nil || own != 0 {
			return opened, err
		}
	}
	opened, err := d.Open(s, bind, 0, directive, accept)
	if err == nil {
		s.Log.Info("the usual port for clients in Sentinel mode is in use: another one is open, and "+
			"SENTINEL names it", "directive", directive, "port", opened)
	}
	return opened, err
}

// portOf returns the port of a TCP address, 0 for another address.
func portOf(addr net.Addr) int {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		return tcp.Port
	}
	return 0
}
