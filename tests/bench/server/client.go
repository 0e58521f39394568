package server

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"cellserver/resp/resptest"
)

// Client is a connection that sends a command after the previous reply has arrived.
type Client struct {
	nc  net.Conn
	buf []byte
}

func Dial(addr string) (*Client, error) {
	nc, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return &Client{nc: nc}, nil
}

func (c *Client) Close() { c.nc.Close() }

// Do runs a command. An error reply becomes an error.
func (c *Client) Do(args ...any) (any, error) {
	c.nc.SetDeadline(time.Now().Add(patience))
	if _, err := c.nc.Write(resptest.Command(args...)); err != nil {
		return nil, err
	}
	for {
		v, n, err := resptest.Parse(c.buf)
		if err == nil {
			c.buf = c.buf[n:]
			if refused, ok := v.(resptest.Error); ok {
				return nil, fmt.Errorf("%v: %w", args[0], refused)
			}
			return v, nil
		}
		if !errors.Is(err, resptest.ErrIncomplete) {
			return nil, err
		}
		var more [4096]byte
		n, err = c.nc.Read(more[:])
		c.buf = append(c.buf, more[:n]...)
		if err != nil {
			return nil, err
		}
	}
}

// Counters are counts that the server itself keeps.
type Counters struct{ Commands, Errors int64 }

func (c *Client) Counters() (n Counters, err error) {
	text, err := c.info("stats")
	if err != nil {
		return n, err
	}
	if n.Commands, err = infoField(text, "total_commands_processed"); err != nil {
		return n, err
	}
	n.Errors, err = infoField(text, "total_error_replies")
	return n, err
}

// UsedMemory returns the bytes that the server compares with maxmemory.
func (c *Client) UsedMemory() (int64, error) { return c.field("memory", "used_memory") }

// Evicted returns how many keys the server has evicted.
func (c *Client) Evicted() (int64, error) { return c.field("stats", "evicted_keys") }

// field returns an integer field of a section of INFO.
func (c *Client) field(section, name string) (int64, error) {
	text, err := c.info(section)
	if err != nil {
		return 0, err
	}
	return infoField(text, name)
}

// info returns a section of INFO.
func (c *Client) info(section string) (string, error) {
	reply, err := c.Do("INFO", section)
	text, _ := reply.(string)
	return text, err
}

// Field returns a field of INFO; "" if it is not there.
func Field(info, name string) string {
	for line := range strings.Lines(info) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), name+":"); ok {
			return text
		}
	}
	return ""
}

// infoField returns an integer field of INFO.
func infoField(info, name string) (int64, error) {
	n, err := strconv.ParseInt(Field(info, name), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("INFO: %s: %w", name, err)
	}
	return n, nil
}
