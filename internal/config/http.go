package config

import (
	"errors"
	"net"

	"cellserver/internal/config/value"
)

// Web says where a handler of HTTP listens.
type Web struct {
	Port, TLSPort int    // 0: none
	Bind          string // an address, "": all
}

// Ports returns the number of ports.
func (w *Web) Ports() int { return min(w.Port, 1) + min(w.TLSPort, 1) }

// HTTP has the values of the listener that answers requests for limits.
type HTTP struct {
	Web
	Token          string        // "": none
	Hosts          []string      // names of this server, in addition to localhost and addresses
	User           string        // the ACL user of requests
	Proxies        value.Proxies // between clients and this server
	MaxConnections int
	Page           Page
	PageKeys       bool // the page shows the names of keys
}

// Page says what the page of the HTTP port may do.
type Page string

// The values of http-page.
const (
	PageOff    Page = "no"
	PageReads  Page = "read"
	PageWrites Page = "write"
)

var httpDirectives = group("Limits over HTTP",
	field("http-port", value.Int(0, 65535), "0", &fields.HTTP.Port),
	field("http-tls-port", value.Int(0, 65535), "0", &fields.HTTP.TLSPort),
	field("http-bind", value.Text, "127.0.0.1", &fields.HTTP.Bind),
	field("http-token", oneWord(256, true), "", &fields.HTTP.Token).sensitive(),
	field("http-hosts", value.Hostnames, "", &fields.HTTP.Hosts),
	field("http-user", value.Text, "default", &fields.HTTP.User).immutable(),
	field("http-trusted-proxies", value.TrustedProxies, "1", &fields.HTTP.Proxies),
	field("http-max-connections", value.Int(1, 100_000), "1000", &fields.HTTP.MaxConnections).immutable(),
	field("http-page", value.Enum(PageOff, PageReads, PageWrites), string(PageReads), &fields.HTTP.Page),
	field("http-page-keys", value.YesNo, "no", &fields.HTTP.PageKeys),
)

// IsLoopback reports whether only this machine can reach a listener at an address.
func IsLoopback(bind string) bool {
	ip := net.ParseIP(bind)
	return bind == "localhost" || ip != nil && ip.IsLoopback()
}

// LoopbackOf returns the loopback address of the family of a wildcard in bind; "" for another host.
func LoopbackOf(wildcard string) string {
	switch wildcard {
	case "*", "0.0.0.0":
		return "127.0.0.1"
	case "::*", "::":
		return "::1"
	}
	return ""
}

func (c *Config) validateHTTP() error {
	open := c.HTTP.Port != 0 || c.HTTP.TLSPort != 0 && c.TLSAuthClients != TLSAuthYes
	if open && c.HTTP.Token == "" && !IsLoopback(c.HTTP.Bind) {
		return errors.New("http-bind is an address of a network, and everybody there could use up " +
			"limits: set http-token, or bind 127.0.0.1")
	}
	return nil
}
