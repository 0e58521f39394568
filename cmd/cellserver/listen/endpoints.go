package listen

import (
	"net"
	"strconv"
	"strings"

	"cellserver/cmd/cellserver/files"
	"cellserver/internal/config"
)

// endpoint is one address to listen on.
type endpoint struct {
	network, address string // as for net.Listen
	tls              bool
	optional         bool // the address may not exist on this machine
}

// CountEndpoints returns how many addresses clients can connect to.
func CountEndpoints(cfg *config.Config) int { return len(endpoints(cfg)) }

// endpoints returns the endpoints of a configuration: plain TCP, TLS, then the unix socket.
func endpoints(cfg *config.Config) (all []endpoint) {
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
			all = append(all, endpoint{network, net.JoinHostPort(host, strconv.Itoa(port.number)), port.tls, optional})
		}
	}
	if cfg.UnixSocket != "" {
		all = append(all, endpoint{network: "unix", address: files.PathOf(cfg, cfg.UnixSocket)})
	}
	return all
}

// family returns the network and the address of a host in bind. As in Redis, IPv4 and IPv6 have separate
// listeners: "*" is every IPv4 address, and "::*" is every IPv6 address.
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
