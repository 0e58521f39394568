package httpapi

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"cellserver/httpapi/page"
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
	if cfg.Token != "" && !authorized(r, cfg.Token) {
		return problem(http.StatusUnauthorized, unauthorized, "send the token of http-token, as Authorization: Bearer or as X-Cellserver-Token")
	}
	if cfg.Misdirects(r) {
		return problem(http.StatusMisdirectedRequest, misdirected, "another site may have sent this request: ask at localhost or at an IP address, add the name to http-hosts, or set http-token")
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
	case path == "/reserve":
		return a.budget(w, r, &reservation)
	case path == "/settle":
		return a.budget(w, r, &settlement)
	case path == "/status", path == "/rules", strings.HasPrefix(path, "/rules/"), strings.HasPrefix(path, "/try/"):
		return a.operate(w, r, &cfg)
	case path == "/openapi.json":
		return openAPI(w, r)
	}
	return problem(http.StatusNotFound, notFound, "ask /check, /explain, /forward, /throttle, /reserve, /settle, /status, /rules, /try or /openapi.json")
}

// authorized reports whether a request has the token. A proxy that forwards the Authorization of its client uses the other
// header.
func authorized(r *http.Request, token string) bool {
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if other := r.Header.Get("X-Cellserver-Token"); other != "" || !bearer {
		given = other
	}
	return subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}
