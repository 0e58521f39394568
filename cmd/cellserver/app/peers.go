package app

import (
	"crypto/tls"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"cellserver/commands"
	"cellserver/config"
	"cellserver/resp"
)

// wire is a connection as the app watches over it: it counts what passes and knows when
// something last did.
type wire struct {
	net.Conn
	app   *App
	meter *meter
	last  atomic.Int64 // coarse monotonic time, of [traffic], of the last byte
}

// watch prepares an accepted connection.
func (a *App) watch(nc net.Conn) *wire {
	if tcp, ok := nc.(*net.TCPConn); ok {
		keepAlive(tcp, a.commands.Config().TCPKeepAlive)
	}
	w := &wire{Conn: nc, app: a, meter: a.traffic.meter()}
	w.last.Store(a.traffic.now.Load())
	return w
}

// keepAlive probes a silent connection after so many seconds, and gives it up after
// three probes a third of that apart, as Redis does. Zero is off.
func keepAlive(tcp *net.TCPConn, seconds int) {
	idle := time.Duration(seconds) * time.Second
	tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: idle > 0, Idle: idle, Interval: max(idle/3, time.Second), Count: 3})
}

// Read counts what the client sent.
func (w *wire) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	if n > 0 {
		w.meter.reads.Add(1)
		w.meter.input.Add(int64(n))
		w.last.Store(w.app.traffic.now.Load())
	}
	return n, err
}

// Write counts what the client was sent.
func (w *wire) Write(p []byte) (int, error) {
	n, err := w.Conn.Write(p)
	if n > 0 {
		w.meter.writes.Add(1)
		w.meter.output.Add(int64(n))
		w.last.Store(w.app.traffic.now.Load())
	}
	return n, err
}

// CloseWrite says that nothing more will be sent.
func (w *wire) CloseWrite() error { return w.Conn.(interface{ CloseWrite() error }).CloseWrite() }

// Close ends the connection, and the watch over it.
func (w *wire) Close() error {
	w.app.peers.remove(w)
	return w.Conn.Close()
}

// peer is a client and its connection.
type peer struct {
	conn   *resp.Conn
	client *commands.Client
	heavy  int64 // monotonic time since when more than the soft limit waits for it, 0 when it does not
}

// peers are the clients that are served.
type peers struct {
	mu  sync.Mutex // guards all, and is held while a client is admitted
	all map[*wire]*peer
}

func (p *peers) remove(w *wire) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, w)
}

// accept admits a connection or says why not.
func (a *App) accept(c *resp.Conn) (resp.Handler, string) {
	a.peers.mu.Lock()
	defer a.peers.mu.Unlock()
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
	c.UserData = client
	if a.peers.all == nil {
		a.peers.all = map[*wire]*peer{}
	}
	a.peers.all[wireOf(c)] = &peer{conn: c, client: client}
	a.verbose("accepted", "client", c.RemoteAddr())
	return client, ""
}

func wireOf(c *resp.Conn) *wire {
	if secure, ok := c.NetConn().(*tls.Conn); ok {
		return secure.NetConn().(*wire)
	}
	return c.NetConn().(*wire)
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
func writeLimit(c *resp.Conn) int64 {
	client, ok := c.UserData.(*commands.Client)
	if !ok {
		return 0 // refused: its last words are short
	}
	return client.OutputLimit().Hard
}

// patrol closes clients that are idle for longer than timeout, or have let more than
// their soft limit wait for too long. now is monotonic.
func (a *App) patrol(now int64) {
	cfg := a.commands.Config()
	limits := cfg.ClientOutputBufferLimit
	if cfg.Timeout == 0 && limits.Normal.Soft == 0 && limits.PubSub.Soft == 0 {
		return
	}
	a.peers.mu.Lock()
	var late []*resp.Conn
	for w, p := range a.peers.all {
		idle := now - w.last.Load()
		switch {
		case cfg.Timeout > 0 && idle > int64(cfg.Timeout)*int64(time.Second) && !p.client.MayIdle():
			a.verbose("closing an idle client", "client", p.conn.RemoteAddr())
		case p.overSoftLimit(now):
			a.log.Warn("closing a client that does not take its replies", "client", p.conn.RemoteAddr(), "bytes", p.conn.Pending())
		default:
			continue
		}
		late = append(late, p.conn)
	}
	a.peers.mu.Unlock()
	for _, c := range late {
		c.Close()
	}
}

// overSoftLimit reports whether the soft limit has been exceeded for its time.
func (p *peer) overSoftLimit(now int64) bool {
	limit := p.client.OutputLimit()
	if limit.Soft == 0 || int64(p.conn.Pending()) <= limit.Soft {
		p.heavy = 0
		return false
	}
	if p.heavy == 0 {
		p.heavy = now
	}
	return now-p.heavy > int64(limit.Seconds)*int64(time.Second)
}
