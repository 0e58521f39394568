package resptest

import (
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience is how long a test waits for a reply before it fails.
const patience = time.Minute

// Client is a connection to a server. Its methods fail the test at once if the connection fails. Call them
// from the test's goroutine.
type Client struct {
	// Pushes are the out-of-band messages that Do received before its reply.
	Pushes []Push

	t   testing.TB
	nc  net.Conn
	buf []byte // received, not yet parsed
}

// Dial connects to addr: "host:port", or the path of a unix socket. The connection closes at the end of the
// test.
func Dial(t testing.TB, addr string) *Client {
	t.Helper()
	c, err := Open(addr)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	return New(t, c.nc)
}

// Open connects to addr, as Dial does. The client has no test that could fail, so only Try, TryRecv and Close
// are for it.
func Open(addr string) (*Client, error) {
	network := "tcp"
	if strings.Contains(addr, "/") {
		network = "unix"
	}
	nc, err := net.DialTimeout(network, addr, patience)
	if err != nil {
		return nil, err
	}
	return &Client{nc: nc}, nil
}

// New returns a client on an open connection, which closes at the end of the test.
func New(t testing.TB, nc net.Conn) *Client {
	t.Cleanup(func() { nc.Close() })
	return &Client{t: t, nc: nc}
}

// Do sends a command and returns its reply. Pushes before the reply go to c.Pushes.
func (c *Client) Do(args ...any) any {
	c.t.Helper()
	c.Send(args...)
	for {
		v := c.Recv()
		push, ok := v.(Push)
		if !ok {
			return v
		}
		c.Pushes = append(c.Pushes, push)
	}
}

// Send sends a command without waiting for its reply.
func (c *Client) Send(args ...any) {
	c.t.Helper()
	c.Write(Command(args...))
}

// Write sends bytes unchanged.
func (c *Client) Write(p []byte) {
	c.t.Helper()
	if err := c.write(p); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

func (c *Client) write(p []byte) error {
	timer := time.AfterFunc(patience, func() { c.nc.Close() })
	defer timer.Stop()
	_, err := c.nc.Write(p)
	return err
}

// Try is Do for a server that may die at any time. It expects no push.
func (c *Client) Try(args ...any) (any, error) {
	if err := c.write(Command(args...)); err != nil {
		return nil, err
	}
	return c.TryRecv()
}

// Recv returns the next reply or push.
func (c *Client) Recv() any {
	c.t.Helper()
	v, err := c.TryRecv()
	if err != nil {
		c.t.Fatalf("no reply: %v", err)
	}
	return v
}

// TryRecv is Recv for a connection that may close. The error is io.EOF after the server has closed it.
func (c *Client) TryRecv() (any, error) {
	for {
		if len(c.buf) > 0 {
			v, n, err := Parse(c.buf)
			if !errors.Is(err, ErrIncomplete) {
				c.buf = c.buf[n:]
				return v, err
			}
		}
		if err := c.read(); err != nil {
			return nil, err
		}
	}
}

// ReadAll returns all bytes until the server closes the connection.
func (c *Client) ReadAll() []byte {
	c.t.Helper()
	for {
		if err := c.read(); err == io.EOF {
			break
		} else if err != nil {
			c.t.Fatalf("read: %v", err)
		}
	}
	all := c.buf
	c.buf = nil
	return all
}

func (c *Client) read() error {
	timer := time.AfterFunc(patience, func() { c.nc.Close() })
	defer timer.Stop()
	// append doubles the buffer, so that a long reply is copied only a few times.
	if len(c.buf) == cap(c.buf) {
		c.buf = append(c.buf, make([]byte, max(4096, len(c.buf)))...)[:len(c.buf)]
	}
	n, err := c.nc.Read(c.buf[len(c.buf):cap(c.buf)])
	c.buf = c.buf[:len(c.buf)+n]
	if n > 0 {
		return nil
	}
	return err
}

// Close closes the connection.
func (c *Client) Close() { c.nc.Close() }

// NetConn returns the underlying connection.
func (c *Client) NetConn() net.Conn { return c.nc }

// Command returns the request for a command. Arguments are strings, []byte, integers, floats and bools (1 or
// 0). Other values have fmt's default format.
func Command(args ...any) []byte {
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		s := text(a)
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(s), s)
	}
	return b
}

func text(arg any) string {
	switch a := arg.(type) {
	case string:
		return a
	case []byte:
		return string(a)
	case float64:
		return strconv.FormatFloat(a, 'g', -1, 64)
	case bool:
		if a {
			return "1"
		}
		return "0"
	}
	return fmt.Sprint(arg)
}
