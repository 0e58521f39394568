package commands

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// MONITOR streams every command that clients run, until RESET or the end of the
// connection. Administrative commands are not shown, nor are passwords.
var _ = register(&Command{
	Name: "monitor", Arity: 1, Flags: adminFlags, Group: ServerGroup, Since: "1.0.0",
	Summary: "Listen for all requests received by the server in real time", Run: monitor,
})

const (
	errMonitorDenied  Error = "ERR MONITOR isn't allowed for DENY BLOCKING client"
	errMonitorKeys    Error = "ERR Replica can't interact with the keyspace"
	monitorTimeFormat       = "+%d.%06d [%d %s]"
)

// monitor gives no reply at all to whoever is a monitor already, as Redis does.
func monitor(c *Call) error {
	switch {
	case c.Client.inExec:
		return errMonitorDenied
	case c.Client.monitoring:
		return nil
	}
	c.Client.monitoring = true
	c.Server.monitors.add(c.Client)
	return replyOK(c)
}

// monitors are the clients that MONITOR.
type monitors struct {
	on atomic.Int64 // how many: while it is 0 nobody looks further

	mu      sync.Mutex // guards clients, and makes all of them see one order
	clients []*Client
}

func (m *monitors) add(c *Client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clients = append(m.clients, c)
	m.on.Store(int64(len(m.clients)))
}

func (m *monitors) remove(c *Client) {
	if !c.monitoring {
		return
	}
	c.monitoring = false
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clients = without(m.clients, c)
	m.on.Store(int64(len(m.clients)))
}

// show tells the monitors of a command that ran.
func (m *monitors) show(c *Call) {
	if c.Cmd.Flags&(SkipMonitor|Admin) != 0 {
		return
	}
	line := c.monitorLine()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, to := range m.clients {
		to.push(c.Client, line)
	}
}

// monitorLine is `+1339518083.107412 [0 127.0.0.1:60866] "keys" "*"` with its CR LF.
func (c *Call) monitorLine() []byte {
	line := fmt.Appendf(nil, monitorTimeFormat, c.Now/1e9, c.Now%1e9/1e3, c.Client.db, c.Client.monitorAddr())
	for i := range c.Args {
		line = append(line, ' ')
		line = appendQuoted(line, c.shown(i))
	}
	return append(line, "\r\n"...)
}

// monitorAddr is where a client comes from, in MONITOR's words.
func (c *Client) monitorAddr() string {
	if c.isUnix() {
		return "unix:" + c.server.Config().UnixSocket
	}
	return c.addr()
}

// appendQuoted appends an argument in double quotes, with C's escapes for what is not
// printable ASCII.
func appendQuoted(dst, arg []byte) []byte {
	dst = append(dst, '"')
	for _, b := range arg {
		switch {
		case b == '\\' || b == '"':
			dst = append(dst, '\\', b)
		case b >= ' ' && b <= '~':
			dst = append(dst, b)
		case b >= '\a' && b <= '\r' && b != '\v' && b != '\f':
			dst = append(dst, '\\', "abtn  r"[b-'\a'])
		default:
			dst = fmt.Appendf(dst, `\x%02x`, b)
		}
	}
	return append(dst, '"')
}
