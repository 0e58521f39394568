package httpapi

import (
	"net/http"
	"strings"

	"cellserver/httpapi/line"
)

// operate answers the requests of the page.
func (a *API) operate(w http.ResponseWriter, r *http.Request, cfg Config, rest string) *Problem {
	if err := cfg.guard(r); err != nil {
		return err
	}
	path, overrides := r.URL.Path, strings.HasPrefix(r.URL.Path, "/overrides/")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if r.URL.RawQuery != "" && (!overrides && !reads || overrides && r.Method != http.MethodDelete) {
		return wrong("this request takes no parameters after ?")
	}
	r = r.WithContext(line.From(r.Context(), r.RemoteAddr))
	switch {
	case overrides:
		return a.overrides(w, r, cfg, rest)
	case path == "/status":
		return a.status(w, r, cfg)
	case path == "/rules":
		return a.listRules(w, r)
	case strings.HasPrefix(path, "/try/"):
		return a.try(w, r, rest)
	}
	return a.rule(w, r, rest)
}

// crossOrigin refuses changes that another page makes a browser send.
var crossOrigin = http.NewCrossOriginProtection()

// guard refuses requests that another site makes a browser send. Without a token the Host must be a name of this server, also
// behind a proxy.
func (c *Config) guard(r *http.Request) *Problem {
	switch {
	case !c.Reads:
		return problem(http.StatusForbidden, forbidden, "set http-page to read or to write")
	case c.Token == "" && c.Locked:
		return problem(http.StatusForbidden, forbidden, "clients of this server need a password, so the page needs a token: set http-token")
	case c.Token == "" && !c.isOwn(r.Host):
		return problem(http.StatusForbidden, forbidden, "open the page at localhost or at an IP address, add the name to http-hosts, or set http-token")
	case crossOrigin.Check(r) != nil:
		return problem(http.StatusForbidden, forbidden, "another site has sent this request")
	case !c.Writes && r.Method != http.MethodGet && r.Method != http.MethodHead:
		return problem(http.StatusForbidden, forbidden, "set http-page to write to change rules")
	}
	return nil
}
