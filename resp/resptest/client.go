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

// patience is how long a reply may take before the test fails.
const patience = 20 * time.Second

// Client talks to a server. Its methods fail the test, at once, when the connection does; they
// belong to the test's goroutine.
type Client struct {
	// Pushes are the out-of-band messages that Do met while it waited for its reply.
	Pushes []Push

	t   testing.TB
	nc  net.Conn
	buf []byte // received, not yet parsed
}

// Dial connects to addr, "host:port" or the path of a unix socket. The connection is closed with
// the test.
func Dial(t testing.TB, addr string) *Client {
	t.Helper()
	network := "tcp"
	if strings.Contains(addr, "/") {
		network = "unix"
	}
	nc, err := net.DialTimeout(network, addr, patience)
	if err != nil {
		t.Fatalf("dial: %v", err)
	}
	return New(t, nc)
}

// New is a client on a connection that exists, which is closed with the test.
func New(t testing.TB, nc net.Conn) *Client {
	t.Cleanup(func() { nc.Close() })
	return &Client{t: t, nc: nc}
}

// Do sends a command and returns its reply. Pushes that come before it go to c.Pushes.
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

// Send sends a command and does not wait for its reply.
func (c *Client) Send(args ...any) {
	c.t.Helper()
	c.Write(Command(args...))
}

// Write sends bytes as they are.
func (c *Client) Write(p []byte) {
	c.t.Helper()
	timer := time.AfterFunc(patience, func() { c.nc.Close() })
	defer timer.Stop()
	if _, err := c.nc.Write(p); err != nil {
		c.t.Fatalf("write: %v", err)
	}
}

// Recv waits for the next reply or push.
func (c *Client) Recv() any {
	c.t.Helper()
	v, err := c.TryRecv()
	if err != nil {
		c.t.Fatalf("no reply: %v", err)
	}
	return v
}

// TryRecv is Recv for a connection that may end: the error is io.EOF once the server has closed it.
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

// ReadAll returns the bytes that come until the server closes the connection.
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
	// Growing by what append finds fit keeps long replies from being copied over and over.
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

// Close ends the connection.
func (c *Client) Close() { c.nc.Close() }

// NetConn is the connection below.
func (c *Client) NetConn() net.Conn { return c.nc }

// Command is the request for a command. Arguments are strings, []byte, integers, floats, bools
// (1 or 0) or anything else in fmt's default format.
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
