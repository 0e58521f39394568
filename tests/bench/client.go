package main

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"cellserver/resp/resptest"
)

// client is a connection on which one command follows the other's reply.
type client struct {
	nc  net.Conn
	buf []byte
}

func dial(addr string) (*client, error) {
	nc, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return &client{nc: nc}, nil
}

func (c *client) close() { c.nc.Close() }

// do runs a command; an error reply is an error.
func (c *client) do(args ...any) (any, error) {
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

// counters are the server's own counts.
type counters struct{ commands, errors int64 }

func (c *client) counters() (counters, error) {
	reply, err := c.do("INFO", "stats")
	if err != nil {
		return counters{}, err
	}
	text, _ := reply.(string)
	return parseCounters(text)
}

// parseCounters reads what INFO says of commands and errors.
func parseCounters(info string) (n counters, err error) {
	wanted := map[string]*int64{"total_commands_processed": &n.commands, "total_error_replies": &n.errors}
	for line := range strings.Lines(info) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if to := wanted[name]; to != nil {
			if *to, err = strconv.ParseInt(value, 10, 64); err != nil {
				return n, fmt.Errorf("INFO: %w", err)
			}
			delete(wanted, name)
		}
	}
	if len(wanted) > 0 {
		return n, errors.New("INFO lacks total_commands_processed or total_error_replies")
	}
	return n, nil
}
