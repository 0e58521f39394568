package app

import (
	"net"
	"sync"
	"time"

	"cellserver/cmd/cellserver/listen"
	"cellserver/internal/config"
	"cellserver/resp"
	"cellserver/resp/transport"
	"cellserver/server"
	"cellserver/sidecar"
)

// peers admits connections, and closes idle clients and slow readers.
type peers struct {
	log       *logger
	server    *server.Server
	transport *transport.Server
	sidecar   *sidecar.Sidecar // nil if the server has keys of its own

	doors listen.Doors

	mu      sync.Mutex // guards the rest, and the UserData of all connections; held while a client is admitted
	refused int        // connections above maxclients that the log does not know
	silent  int64      // until then the log says nothing of them; monotonic
}

// admitted is the client of a connection, and its state for the patrol. It is the UserData of the connection.
type admitted struct {
	client    *server.Client
	idles     interface{ MayIdle() bool } // the client, or its front in a sidecar
	overSince int64                       // since when its replies exceed the soft limit; 0 if they do not
}

// accept admits a connection, or returns the error for its client. It admits one connection at a time, so
// that their number never exceeds maxclients.
func (p *peers) accept(c *transport.Conn) (resp.Handler, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cfg := p.server.Config()
	if p.server.Clients() >= cfg.MaxClients || p.transport.Open() > cfg.MaxClients+maxLeaving {
		p.server.RejectedConnection()
		p.refused++
		return nil, "ERR max number of clients reached"
	}
	if protects(cfg, p.server.Users().Default.NoPass(), c.RemoteAddr()) {
		p.server.RejectedConnection()
		return nil, protectedMode
	}
	client := p.server.ConnectWhole(c, p.doors.Has(c.LocalAddr()))
	p.log.verbose("accepted a client", "client", c.RemoteAddr())
	if p.sidecar != nil {
		front := p.sidecar.Connect(client, c)
		c.UserData = &admitted{client: client, idles: front}
		return front, ""
	}
	c.UserData = &admitted{client: client, idles: client}
	return client, ""
}

// maxLeaving is how many connections beyond maxclients may be open. A client that leaves does not count as a
// client, but its connection stays open until the client has read the last reply.
const maxLeaving = 4

// protects reports whether protected mode refuses a client: the default user has no password, and the client
// is on another machine.
func protects(cfg *config.Config, noPass bool, from net.Addr) bool {
	tcp, ok := from.(*net.TCPAddr)
	return cfg.ProtectedMode && noPass && ok && !tcp.IP.IsLoopback()
}

// protectedMode is Redis's text.
const protectedMode = "DENIED Redis is running in protected mode because protected mode is enabled and " +
	"no password is set for the default user. In this mode connections are only accepted from the " +
	"loopback interface. If you want to connect from external computers to Redis you may adopt one of " +
	"the following solutions: 1) Just disable protected mode sending the command 'CONFIG SET " +
	"protected-mode no' from the loopback interface by connecting to Redis from the same host the " +
	"server is running, however MAKE SURE Redis is not publicly accessible from internet if you do so. " +
	"Use CONFIG REWRITE to make this change permanent. 2) Alternatively you can just disable the " +
	"protected mode by editing the Redis configuration file, and setting the protected mode option to " +
	"'no', and then restarting the server. 3) If you started the server manually just for testing, " +
	"restart it with the '--protected-mode no' option. 4) Setup a an authentication password for the " +
	"default user. NOTE: You only need to do one of the above things in order for the server to start " +
	"accepting connections from the outside."

// patrol closes clients that are idle for longer than timeout, and clients whose replies exceed the soft
// limit of client-output-buffer-limit for too long. It also logs that connections were refused. now is
// monotonic.
func (p *peers) patrol(now int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	cfg := p.server.Config()
	p.logRefused(cfg.MaxClients, now)
	limits := cfg.ClientOutputBufferLimit
	if cfg.Timeout == 0 && limits.Normal.Soft == 0 && limits.PubSub.Soft == 0 {
		return
	}
	for _, c := range p.transport.Conns() {
		peer, ok := c.UserData.(*admitted)
		switch {
		case !ok: // a refused connection
		case cfg.Timeout > 0 && now-c.Active() > int64(cfg.Timeout)*1e9 && !peer.idles.MayIdle():
			p.log.verbose("closing an idle client", "client", c.RemoteAddr())
			c.Close()
		case peer.overSoftLimit(c, now):
			p.log.Warn("closing a client that does not read its replies",
				"client", c.RemoteAddr(), "bytes", c.Pending())
			c.Close()
		}
	}
}

// refusedPause is how long the log says nothing more of refused connections.
const refusedPause = time.Minute

// logRefused logs how many connections were refused since the last such line. mu is held.
func (p *peers) logRefused(maxClients int, now int64) {
	if p.refused == 0 || now < p.silent {
		return
	}
	p.log.Warn("connections were refused, because maxclients is reached: raise maxclients, or see in CLIENT LIST "+
		"who holds the connections", "refused", p.refused, "maxclients", maxClients)
	p.refused, p.silent = 0, now+int64(refusedPause)
}

// overSoftLimit reports whether the replies of a client have exceeded the soft limit for longer than its
// seconds.
func (p *admitted) overSoftLimit(c *transport.Conn, now int64) bool {
	limit := p.client.OutputLimits()
	if limit.Soft == 0 || int64(c.Pending()) <= limit.Soft {
		p.overSince = 0
		return false
	}
	if p.overSince == 0 {
		p.overSince = now
	}
	return now-p.overSince > int64(limit.Seconds)*int64(time.Second)
}
