package app

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	"cellserver/cmd/cellserver/listen"
	"cellserver/commands"
	"cellserver/httpapi"
	"cellserver/httpapi/bounded"
	"cellserver/httpapi/line"
	"cellserver/internal/config"
	"cellserver/server"
	"cellserver/sidecar"
)

// webAPI answers requests for limits over HTTP, on http-port and http-tls-port.
type webAPI struct {
	listen.WebDoor
	lines *line.Lines
	ready atomic.Bool // Run has begun to load the data
	acts  func() bool // the user of requests exists and is on
	// secret is that of keys: see [keySecret]. It is nil until the first listener opens, and does not change
	// then.
	secret []byte
}

// apiLines is how many commands of HTTP run at the same time. A command takes microseconds, and does not
// keep its place while it waits for the log.
const apiLines = 16

// apiBounds returns the bounds of each listener.
func apiBounds(cfg *config.Config) bounded.Bounds {
	return bounded.Bounds{
		Conns: apiConns(cfg), Header: 32 << 10, Request: 10 * time.Second, Idle: 2 * time.Minute,
	}
}

// handler makes the API of a server, or of its sidecar if that is not nil. barrier holds replies back.
func (w *webAPI) handler(
	s *server.Server, of *sidecar.Sidecar, barrier line.Barrier, cfg *config.Config,
) http.Handler {
	w.lines = line.New(apiLines, barrier, func(p commands.Peer) line.Handler {
		client := s.Connect(p)
		client.Become(s.Users().Acting(cfg.HTTP.User), "http")
		if of != nil {
			return of.ConnectLine(client, p)
		}
		return client
	})
	w.acts = func() bool { return !s.Users().Acting(cfg.HTTP.User).Limits().Deleted() }
	return w.gate(&httpapi.API{Commands: w.lines, Guesses: s.Logins(), Config: func() httpapi.Config {
		h := &s.Config().HTTP
		cfg := httpapi.Config{Token: h.Token, Hosts: h.Hosts}
		cfg.Trust = httpapi.Trust{Proxies: h.Proxies.Count, Networks: h.Proxies.Networks, Secret: w.secret}
		cfg.Page = httpapi.Page{
			Reads: h.Page != config.PageOff, Writes: h.Page == config.PageWrites, Keys: h.PageKeys,
			Locked: !s.Users().Default.Open(),
		}
		return cfg
	}})
}

// gate refuses requests until Run has begun to load the data, and while their user does not exist. Otherwise
// the server itself refuses them.
func (w *webAPI) gate(api http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		reason := ""
		switch {
		case !w.ready.Load():
			reason = "the server loads its data"
		case !w.acts():
			reason = "the user of http-user does not exist or is off: set it with ACL SETUSER"
		default:
			api.ServeHTTP(out, r)
			return
		}
		httpapi.Unavailable(out, reason)
	})
}

// Configure makes the secret of keys before the first listener opens.
func (w *webAPI) Configure(cfg *config.Config) (err error) {
	if cfg.HTTP.Ports() > 0 && w.secret == nil {
		if w.secret, err = keySecret(cfg); err != nil {
			return err
		}
	}
	return w.WebDoor.Configure(cfg.HTTP.Web)
}

// stop closes the listeners for good. Replies leave until ctx ends. Then no command runs any more.
func (w *webAPI) stop(ctx context.Context) {
	w.Stop(ctx)
	w.lines.Close()
}
