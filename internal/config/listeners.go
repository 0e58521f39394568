package config

import (
	"fmt"
	"slices"
	"strings"
)

// listener is a port that a directive opens, on the addresses of another directive.
type listener struct {
	name string
	port int
	bind []string
}

// listeners returns what the directives open over TCP.
func (c *Config) listeners() []listener {
	all := []listener{
		{"port", c.Port, c.Bind}, {"tls-port", c.TLSPort, c.Bind},
		{"http-port", c.HTTP.Port, []string{c.HTTP.Bind}},
		{"http-tls-port", c.HTTP.TLSPort, []string{c.HTTP.Bind}},
		{"metrics-port", c.Metrics.Port, []string{c.Metrics.Bind}},
		{"metrics-tls-port", c.Metrics.TLSPort, []string{c.Metrics.Bind}},
	}
	if len(c.Cluster.Nodes) > 0 {
		peer, _ := c.PeerPort()
		all = append(all, listener{"cluster-port", peer, c.Bind},
			listener{"proxy-port", c.Cluster.ProxyPort, c.Bind},
			listener{"sentinel-port", c.Cluster.Sentinel.Plain, c.Bind},
			listener{"sentinel-tls-port", c.Cluster.Sentinel.TLS, c.Bind})
	}
	return slices.DeleteFunc(all, func(l listener) bool { return l.port == 0 })
}

// validateListeners refuses two directives with one port, if an address has both.
func (c *Config) validateListeners() error {
	all := c.listeners()
	for i, b := range all {
		for _, a := range all[:i] {
			if a.port == b.port && a.meets(b) {
				return fmt.Errorf("%s and %s are both %d: choose another port for one of them",
					a.name, b.name, a.port)
			}
		}
	}
	return nil
}

// meets reports whether two listeners have an address in common, as far as their texts say.
func (l listener) meets(other listener) bool {
	for _, a := range l.bind {
		for _, b := range other.bind {
			a, b := plainAddress(a), plainAddress(b)
			if a == b || a == everyAddress(b) || b == everyAddress(a) || a == "" || b == "" {
				return true
			}
		}
	}
	return false
}

// plainAddress writes the address of a bind in one way. It is "" for all addresses.
func plainAddress(bind string) string {
	bind = strings.ToLower(strings.TrimPrefix(bind, "-"))
	if plain, known := map[string]string{"*": "0.0.0.0", "::*": "::", "localhost": "127.0.0.1"}[bind]; known {
		return plain
	}
	return bind
}

// everyAddress returns the address that means all addresses of the same family.
func everyAddress(address string) string {
	if strings.Contains(address, ":") {
		return "::"
	}
	return "0.0.0.0"
}
