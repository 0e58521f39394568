package httpapi

import (
	"crypto/subtle"
	"net/http"
	"net/netip"
	"strings"

	"cellserver/httpapi/page"
	"cellserver/internal/quote"
	"cellserver/limiters"
)

// ServeHTTP implements [http.Handler].
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := a.serve(w, r); err != nil {
		err.write(w)
	}
}

func (a *API) serve(w http.ResponseWriter, r *http.Request) *Problem {
	cfg := a.Config()
	if cfg.Page.Reads && page.Serve(w, r) {
		return nil
	}
	w.Header()["Cache-Control"] = noStore // a cache must not decide
	if cfg.Token != "" {
		if err := a.authorize(r, cfg.Token); err != nil {
			return err
		}
	}
	if cfg.Misdirects(r) {
		return problem(http.StatusMisdirectedRequest, misdirected, "another site may have sent this "+
			"request: ask at localhost or at an IP address, add the name to http-hosts, or set "+
			"http-token")
	}
	path := r.URL.Path
	switch {
	case path == "/check":
		return a.check(w, r, &cfg, "")
	case strings.HasPrefix(path, "/check/"):
		return a.check(w, r, &cfg, path[len("/check/"):])
	case strings.HasPrefix(path, "/explain/"):
		return a.explain(w, r, &cfg, path[len("/explain/"):])
	case strings.HasPrefix(path, "/forward/"):
		return a.forward(w, r, &cfg)
	case path == "/throttle":
		return a.throttle(w, r)
	case path == "/enter":
		return a.enter(w, r)
	case path == "/leave":
		return a.leave(w, r)
	case path == "/reserve":
		return a.budget(w, r, &reservation)
	case path == "/settle":
		return a.budget(w, r, &settlement)
	case path == "/reset":
		return a.reset(w, r, &cfg)
	case path == "/status", path == "/rules", strings.HasPrefix(path, "/rules/"),
		strings.HasPrefix(path, "/try/"), strings.HasPrefix(path, "/overrides/"):
		return a.operate(w, r, &cfg)
	case path == "/openapi.json":
		return openAPI(w, r)
	}
	return problem(http.StatusNotFound, notFound, "there is no path %s: ask /check, /explain, /forward, "+
		"/throttle, /enter, /leave, /reserve, /settle, /reset, /status, /rules, /overrides, /try or "+
		"/openapi.json",
		quote.Word(path))
}

// authorize returns the problem of a request without the token. As with AUTH, auth-fail-limit bounds the
// guesses of an address. A request without any token guesses nothing.
func (a *API) authorize(r *http.Request, token string) *Problem {
	given := tokenOf(r)
	if given == "" {
		return problem(http.StatusUnauthorized, unauthorized, wantsToken)
	}
	from, _ := netip.ParseAddrPort(r.RemoteAddr)
	ok, wait := a.Guesses.Try(from.Addr(), guesser, []byte(given), func() bool {
		return subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
	})
	switch {
	case wait > 0:
		p := problem(http.StatusUnauthorized, unauthorized,
			"too many wrong tokens and passwords from this address: try again later (auth-fail-limit)")
		p.retry = limiters.Seconds(wait)
		return p
	case !ok:
		return problem(http.StatusUnauthorized, unauthorized, wantsToken)
	}
	return nil
}

const wantsToken = "send the token of http-token, as Authorization: Bearer or as X-Cellserver-Token"

// guesser is the name of all requests for the limit of guesses. No user has it.
var guesser = []byte("http token")

// tokenOf returns the token of a request, "" if there is no token. A proxy that forwards the Authorization of
// its client uses the other header.
func tokenOf(r *http.Request) string {
	if given := r.Header.Get("X-Cellserver-Token"); given != "" {
		return given
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(given, " ")
}
