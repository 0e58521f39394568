package app

import (
	"fmt"
	"net"
	"strings"

	"cellserver/commands"
	"cellserver/internal/config"
)

// greetingText has a version, the addresses and the options of redis-cli.
const greetingText = `cellserver %s listens on %s. Try it:

  redis-cli %s CL.THROTTLE user 15 30 60

  1) (integer) 0     0: allowed, 1: limited
  2) (integer) 16    the limit: the burst and one
  3) (integer) 15    remaining now
  4) (integer) -1    retry after so many seconds; -1: no need to wait
  5) (integer) 2     seconds until the limit is full again: 30 in 60 seconds is one every 2

`

// greeting says where the server listens, and has a command to try. locked says that it asks for a password.
func greeting(addresses []net.Addr, cfg *config.Config, locked bool) string {
	names := make([]string, len(addresses))
	for i, addr := range addresses {
		names[i] = addr.String()
	}
	return fmt.Sprintf(greetingText, commands.Version, strings.Join(names, " and "), clientOptions(addresses[0], cfg, locked))
}

// clientOptions returns the options with which redis-cli connects to an address.
func clientOptions(addr net.Addr, cfg *config.Config, locked bool) string {
	options := "-s " + addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok {
		options = fmt.Sprintf("-p %d", tcp.Port)
		if !tcp.IP.IsLoopback() && !tcp.IP.IsUnspecified() {
			options = fmt.Sprintf("-h %s %s", tcp.IP, options)
		}
		if tcp.Port == cfg.TLSPort {
			options += " --tls"
		}
	}
	if locked {
		options += " --askpass"
	}
	return options
}
