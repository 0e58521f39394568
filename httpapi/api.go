package httpapi

import (
	"context"
	"crypto/subtle"
	"net/http"
	"strings"

	"cellserver/httpapi/line"
	"cellserver/httpapi/page"
)

// Commands runs commands. It is [line.Lines].
type Commands interface {
	Do(ctx context.Context, args []string, read func(line.Reply)) error
}

// API answers requests. Config is what of the configuration it uses, at the time of a request.
type API struct {
	Commands Commands
	Config   func() Config
}

// Config is a part of the configuration.
type Config struct {
	Token   string // that requests must have; "" for none
	Proxies int    // between clients and this server
	Page
}

// Content types. Header maps share these slices.
var (
	jsonType    = []string{"application/json"}
	problemType = []string{"application/problem+json"}
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
	if cfg.Token != "" && !authorized(r, cfg.Token) {
		return problem(http.StatusUnauthorized, unauthorized, "send the token of http-token, as Authorization: Bearer or as X-Cellserver-Token")
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
	case path == "/status", path == "/rules", strings.HasPrefix(path, "/rules/"):
		return a.operate(w, r, &cfg)
	case path == "/openapi.json":
		return openAPI(w, r)
	}
	return problem(http.StatusNotFound, notFound, "there is /check, /explain, /forward, /throttle, /reserve, /settle, /status, /rules and /openapi.json")
}

// authorized reports whether a request has the token. A proxy that passes on the Authorization of its client uses the other
// header.
func authorized(r *http.Request, token string) bool {
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if other := r.Header.Get("X-Cellserver-Token"); other != "" || !bearer {
		given = other
	}
	return subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}

// allow returns the problem of a request with another method.
func allow(w http.ResponseWriter, r *http.Request, methods ...string) *Problem {
	for _, m := range methods {
		if r.Method == m {
			return nil
		}
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	return problem(http.StatusMethodNotAllowed, notAllowed, "use %s", strings.Join(methods, " or "))
}

// do runs a command. read gets its reply, unless that is an error.
func (a *API) do(ctx context.Context, args []string, read func(line.Reply)) *Problem {
	var refused *Problem
	err := a.Commands.Do(ctx, args, func(r line.Reply) {
		if text := r.Error(); text != "" {
			refused = ofReply(text)
			return
		}
		read(r)
	})
	if err != nil {
		return ofError(err)
	}
	return refused
}
