package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Another site may give its name the address of this server (DNS rebinding). A browser then takes this
// server for that site. Pages of the site can ask this server, and the Host of their requests is the name
// of the site.

// isOwn reports whether a Host is localhost, a name below localhost, an IP address, or a name of http-hosts.
func (c *Config) isOwn(host string) bool {
	if host != "" && host[0] != ':' && strings.Trim(host, "0123456789.:") == "" {
		return true // the name of a site has a letter in its last part
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return true
	}
	if name := strings.ToLower(strings.TrimSuffix(host, ".")); name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	return slices.ContainsFunc(c.Hosts, func(own string) bool { return strings.EqualFold(own, host) })
}

// Misdirects reports whether a request may come from a page of another site. If the server has a token, the
// answer is no: another site does not know the token. A browser sends the port of this server with the
// name. A proxy that forwards the Host of its client sends another port or no port, so its requests are not
// refused. A browser always sends a Host.
func (c *Config) Misdirects(r *http.Request) bool {
	return c.Token == "" && r.Host != "" && !c.isOwn(r.Host) && portOf(r.Host) == ownPort(r)
}

// portOf returns the port of a Host. Without a port it is 80.
func portOf(host string) string {
	if _, port, err := net.SplitHostPort(host); err == nil {
		return port
	}
	return "80"
}

// ownPort returns the port that received a request, "" if it is unknown.
func ownPort(r *http.Request) string {
	at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return ""
	}
	return strconv.Itoa(at.Port)
}
