package app

import (
	"fmt"
	"net"
	"strings"

	"cellserver/commands"
)

const tryIt = `cellserver %s listens on %s. Try it:

  redis-cli %s CL.THROTTLE user 15 30 60

  1) (integer) 0     it may happen (1: it may not)
  2) (integer) 16    so many may happen at once: the burst and one
  3) (integer) 15    so many more may happen now
  4) (integer) -1    seconds until it may happen; -1: no need to wait
  5) (integer) 2     seconds until all are there again: 30 in 60 seconds is one every 2

`

// Greeting tells who started the server where it listens and what to try.
func (a *App) Greeting() string {
	addresses := a.sockets.addresses()
	names := make([]string, len(addresses))
	for i, addr := range addresses {
		names[i] = addr.String()
	}
	return fmt.Sprintf(tryIt, commands.Version, strings.Join(names, " and "), a.reach(addresses[0]))
}

// reach is how redis-cli gets to an address.
func (a *App) reach(addr net.Addr) string {
	cfg := a.commands.Config()
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
	if cfg.RequirePass != "" {
		options += " --askpass"
	}
	return options
}
