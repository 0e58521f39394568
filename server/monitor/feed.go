package monitor

import (
	"fmt"
	"sync"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/server/listeners"
)

// Feed holds the monitors. It implements [commands.Monitors]. The zero Feed has no monitors.
type Feed struct {
	on atomic.Int64 // number of monitors; while it is 0, commands do not take the lock

	mu    sync.Mutex // guards conns, and orders the commands for all monitors
	conns []*commands.Conn
}

// On reports whether there is a monitor.
func (f *Feed) On() bool { return f.on.Load() > 0 }

// Len returns the number of monitors.
func (f *Feed) Len() int64 { return f.on.Load() }

// Add implements [commands.Monitors].
func (f *Feed) Add(c *commands.Conn) {
	c.Modes.Monitoring = true
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conns = append(f.conns, c)
	f.on.Store(int64(len(f.conns)))
}

// Remove implements [commands.Monitors].
func (f *Feed) Remove(c *commands.Conn) {
	if !c.Modes.Monitoring {
		return
	}
	c.Modes.Monitoring = false
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conns = listeners.Without(f.conns, c)
	f.on.Store(int64(len(f.conns)))
}

// Line returns the line of a command that has run; nil if monitors must not see it. addr is the address of
// its client.
func (f *Feed) Line(c *commands.Call, addr string) []byte {
	if flags := c.Cmd.Flags; flags&(commands.SkipMonitor|commands.Admin) != 0 && flags&commands.RunsScript == 0 {
		return nil
	}
	return formatLine(c, addr)
}

// Send sends a line to the monitors, unless it is nil. by is the client of the command.
func (f *Feed) Send(by *commands.Conn, line []byte) {
	if line == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, to := range f.conns {
		to.Push(by, line)
	}
}

const timeFormat = "+%d.%06d [%d %s]"

// formatLine returns the line of a command, such as `+1339518083.107412 [0 127.0.0.1:60866] "keys"
// "*"`, with CR LF.
func formatLine(c *commands.Call, addr string) []byte {
	now := c.Wall()
	line := fmt.Appendf(nil, timeFormat, now/1e9, now%1e9/1e3, c.Conn.DB, addr)
	for i := range c.Args {
		line = append(line, ' ')
		line = appendQuoted(line, c.Shown(i))
	}
	return append(line, "\r\n"...)
}

// appendQuoted appends an argument in double quotes. Bytes that are not printable ASCII become
// escapes of C.
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
