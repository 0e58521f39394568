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

func (c *client) counters() (n counters, err error) {
	text, err := c.info("stats")
	if err != nil {
		return n, err
	}
	if n.commands, err = infoField(text, "total_commands_processed"); err != nil {
		return n, err
	}
	n.errors, err = infoField(text, "total_error_replies")
	return n, err
}

// info is a section of INFO.
func (c *client) info(section string) (string, error) {
	reply, err := c.do("INFO", section)
	text, _ := reply.(string)
	return text, err
}

// infoText is a field of INFO.
func infoText(info, name string) (string, error) {
	for line := range strings.Lines(info) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), name+":"); ok {
			return text, nil
		}
	}
	return "", fmt.Errorf("INFO lacks %s", name)
}

// infoField is an integer of INFO.
func infoField(info, name string) (int64, error) {
	text, err := infoText(info, name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("INFO: %s: %w", name, err)
	}
	return n, nil
}
