package httpapi

import (
	"net"
	"net/http"
	"strings"
)

// Page says what the page may do.
type Page struct {
	Reads  bool // there is a page, and it shows numbers and rules
	Writes bool // it changes rules
	Keys   bool // it shows names of keys
	Locked bool // it needs the token, because other clients need a password
}

// operate answers the requests of the page.
func (a *API) operate(w http.ResponseWriter, r *http.Request, cfg *Config) *Problem {
	if err := cfg.guard(r); err != nil {
		return err
	}
	w.Header()["Cache-Control"] = []string{"no-store"}
	if r.URL.RawQuery != "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
		return wrong("this request takes no parameters after ?")
	}
	if r.URL.Path == "/status" {
		return a.status(w, r, cfg)
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/rules/"); ok {
		return a.rule(w, r, name)
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/try/"); ok {
		return a.try(w, r, name)
	}
	return a.listRules(w, r)
}

// crossOrigin refuses changes that another page makes a browser send.
var crossOrigin = http.NewCrossOriginProtection()

// guard refuses requests that another site makes a browser send. Such a site may give its own name the address of this server,
// and then has the same origin (DNS rebinding). So without a token the Host must be an address or localhost. With a token
// there is no such rule, because another site does not know the token.
func (c *Config) guard(r *http.Request) *Problem {
	switch {
	case !c.Reads:
		return problem(http.StatusForbidden, forbidden, "set http-page to read or to write")
	case c.Token == "" && c.Locked:
		return problem(http.StatusForbidden, forbidden, "clients of this server need a password, so the page needs a token: set http-token")
	case c.Token == "" && !isAddress(r.Host):
		return problem(http.StatusForbidden, forbidden, "open the page at localhost or at an IP address, or set http-token")
	case crossOrigin.Check(r) != nil:
		return problem(http.StatusForbidden, forbidden, "another site has sent this request")
	case !c.Writes && r.Method != http.MethodGet && r.Method != http.MethodHead:
		return problem(http.StatusForbidden, forbidden, "set http-page to write to change rules")
	}
	return nil
}

// isAddress reports whether the Host of a request is an IP address or localhost.
func isAddress(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.EqualFold(host, "localhost") || net.ParseIP(strings.Trim(host, "[]")) != nil
}
