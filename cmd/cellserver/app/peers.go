package app

import (
	"net"
	"time"

	"cellserver/internal/config"
	"cellserver/resp"
	"cellserver/resp/transport"
	"cellserver/server"
)

// keepAlive probes a silent connection after so many seconds, and gives it up after
// three probes a third of that apart, as Redis does. Zero is off.
func keepAlive(tcp *net.TCPConn, seconds int) {
	idle := time.Duration(seconds) * time.Second
	tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: idle > 0, Idle: idle, Interval: max(idle/3, time.Second), Count: 3})
}

// peer is a connection's client, and what the patrol remembers of it.
type peer struct {
	client *server.Client
	heavy  int64 // monotonic time since when more than the soft limit waits for it, 0 when it does not
}

// accept admits a connection or says why not. Connections come one at a time, so that none passes
// maxclients.
func (a *App) accept(c *transport.Conn) (resp.Handler, string) {
	a.accepting.Lock()
	defer a.accepting.Unlock()
	cfg := a.commands.Config()
	if a.commands.Clients() >= cfg.MaxClients {
		a.commands.RejectedConnection()
		return nil, "ERR max number of clients reached"
	}
	if protects(cfg, c.RemoteAddr()) {
		a.commands.RejectedConnection()
		return nil, protectedMode
	}
	client := a.commands.Connect(c)
	c.UserData = &peer{client: client}
	a.verbose("accepted", "client", c.RemoteAddr())
	return client, ""
}

// protects reports whether protected mode keeps a client out: there is no password, and
// the client is on another machine.
func protects(cfg *config.Config, from net.Addr) bool {
	tcp, ok := from.(*net.TCPAddr)
	return cfg.ProtectedMode && cfg.RequirePass == "" && ok && !tcp.IP.IsLoopback()
}

// protectedMode is Redis's text: people search for it.
const protectedMode = "DENIED Redis is running in protected mode because protected mode is enabled and no password is set for the default user. " +
	"In this mode connections are only accepted from the loopback interface. " +
	"If you want to connect from external computers to Redis you may adopt one of the following solutions: " +
	"1) Just disable protected mode sending the command 'CONFIG SET protected-mode no' from the loopback interface " +
	"by connecting to Redis from the same host the server is running, however MAKE SURE Redis is not publicly accessible " +
	"from internet if you do so. Use CONFIG REWRITE to make this change permanent. " +
	"2) Alternatively you can just disable the protected mode by editing the Redis configuration file, and setting the protected " +
	"mode option to 'no', and then restarting the server. " +
	"3) If you started the server manually just for testing, restart it with the '--protected-mode no' option. " +
	"4) Setup a an authentication password for the default user. " +
	"NOTE: You only need to do one of the above things in order for the server to start accepting connections from the outside."

// writeLimit is the hard limit of what may wait for a client.
func writeLimit(c *transport.Conn) int64 {
	p, ok := c.UserData.(*peer)
	if !ok {
		return 0 // refused: its last words are short
	}
	return p.client.OutputLimit().Hard
}

// patrol closes clients that are idle for longer than timeout, or have let more than
// their soft limit wait for too long. now is monotonic.
func (a *App) patrol(now int64) {
	cfg := a.commands.Config()
	limits := cfg.ClientOutputBufferLimit
	if cfg.Timeout == 0 && limits.Normal.Soft == 0 && limits.PubSub.Soft == 0 {
		return
	}
	a.accepting.Lock()
	defer a.accepting.Unlock()
	for _, c := range a.transport.Conns() {
		p, ok := c.UserData.(*peer)
		switch {
		case !ok: // being refused
		case cfg.Timeout > 0 && now-c.Active() > int64(cfg.Timeout)*int64(time.Second) && !p.client.MayIdle():
			a.verbose("closing an idle client", "client", c.RemoteAddr())
			c.Close()
		case p.overSoftLimit(c, now):
			a.log.Warn("closing a client that does not take its replies", "client", c.RemoteAddr(), "bytes", c.Pending())
			c.Close()
		}
	}
}

// overSoftLimit reports whether the soft limit has been exceeded for its time.
func (p *peer) overSoftLimit(c *transport.Conn, now int64) bool {
	limit := p.client.OutputLimit()
	if limit.Soft == 0 || int64(c.Pending()) <= limit.Soft {
		p.heavy = 0
		return false
	}
	if p.heavy == 0 {
		p.heavy = now
	}
	return now-p.heavy > int64(limit.Seconds)*int64(time.Second)
}
