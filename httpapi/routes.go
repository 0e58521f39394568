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

// route answers the requests of a path. rest is the path behind the name of the route.
type route func(a *API, w http.ResponseWriter, r *http.Request, cfg Config, rest string) *Problem

// routes are by the first part of a path, with the slash behind it if there is more.
var routes = map[string]route{
	"/check": (*API).check, "/check/": (*API).check, "/explain/": (*API).explain, "/forward/": (*API).forward,
	"/throttle": (*API).throttle, "/enter": (*API).enter, "/leave": (*API).leave,
	"/reserve": budget(&reservation), "/settle": budget(&settlement), "/reset": (*API).reset,
	"/status": (*API).operate, "/rules": (*API).operate, "/rules/": (*API).operate,
	"/try/": (*API).operate, "/overrides/": (*API).operate, "/openapi.json": (*API).openAPI,
}

// ServeHTTP implements [http.Handler].
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cfg, name, rest := a.Config(), r.URL.Path, ""
	if at := strings.IndexByte(name[min(1, len(name)):], '/'); at >= 0 {
		name, rest = name[:at+2], name[at+2:]
	}
	answer, err := routes[name], (*Problem)(nil)
	if answer == nil && cfg.Reads && cfg.Closed == "" && page.Serve(w, r) {
		return
	}
	w.Header()["Cache-Control"] = noStore // a cache must not decide
	switch {
	case cfg.Closed != "":
		err = problem(http.StatusServiceUnavailable, unavailable, "%s", cfg.Closed)
	case cfg.Token != "":
		err = a.authorize(r, cfg.Token)
	case cfg.Misdirects(r):
		err = problem(http.StatusMisdirectedRequest, misdirected, "another site may have sent this "+
			"request: ask at localhost or at an IP address, add the name to http-hosts, or set "+
			"http-token")
	}
	switch {
	case err != nil:
	case answer != nil:
		err = answer(a, w, r, cfg, rest)
	default:
		err = problem(http.StatusNotFound, notFound, "there is no path %s: ask /check, /explain, /forward, "+
			"/throttle, /enter, /leave, /reserve, /settle, /reset, /status, /rules, /overrides, /try or "+
			"/openapi.json",
			quote.Word(r.URL.Path))
	}
	if err != nil {
		err.write(w)
	}
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
