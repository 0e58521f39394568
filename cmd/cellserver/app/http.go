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
	user := cfg.HTTP.User // fixed
	w.lines = line.New(apiLines, barrier, func(p commands.Peer) line.Handler {
		client := s.Connect(p)
		client.Become(s.Users().Acting(user), "http")
		if of != nil {
			return of.ConnectLine(client, p)
		}
		return client
	})
	return &httpapi.API{Commands: w.lines, Guesses: s.Logins(), Config: func() httpapi.Config {
		h := &s.Config().HTTP
		cfg := httpapi.Config{Token: h.Token, Hosts: h.Hosts}
		switch {
		case !w.ready.Load():
			cfg.Closed = "the server loads its data"
		case s.Users().Acting(user).Limits().Deleted():
			cfg.Closed = "the user of http-user does not exist or is off: set it with ACL SETUSER"
		}
		cfg.Trust = httpapi.Trust{Proxies: h.Proxies.Count, Networks: h.Proxies.Networks, Secret: w.secret}
		cfg.Page = httpapi.Page{
			Reads: h.Page != config.PageOff, Writes: h.Page == config.PageWrites, Keys: h.PageKeys,
			Locked: !s.Users().Default.Open(),
		}
		return cfg
	}}
}

// Configure makes the secret of keys before the first listener opens.
func (w *webAPI) Configure(cfg *config.Config) (err error) {
	if cfg.HTTP.Ports() > 0 && w.secret == nil {
		if w.secret, err = keySecret(cfg, w.Plain.Log); err != nil {
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
