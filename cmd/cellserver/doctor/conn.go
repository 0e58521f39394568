package doctor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// Bounds of a reply.
const (
	longestReply = 16 << 20 // bytes of one text
	mostElements = 1 << 16
	deepest      = 8
)

// conn is a connection of a client.
type conn struct {
	net.Conn
	in      *bufio.Reader
	timeout time.Duration
}

// refusal is an error reply of the server.
type refusal string

func (r refusal) Error() string { return string(r) }

var errReply = errors.New("the reply is not one of a Redis server: check the port, and add --tls if it is the one for TLS")

// do sends a command. The reply is an int64, a string, a list of replies, or nil.
func (c *conn) do(args ...string) (any, error) {
	if err := c.SetDeadline(time.Now().Add(c.timeout)); err != nil {
		return nil, err
	}
	request := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, arg := range args {
		request = fmt.Appendf(request, "$%d\r\n%s\r\n", len(arg), arg)
	}
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	return c.read(deepest)
}

// read reads a reply with at most this many levels of lists.
func (c *conn) read(levels int) (any, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		if errors.Is(err, bufio.ErrBufferFull) {
			err = errReply
		}
		return nil, err
	}
	kind, text := line[0], strings.TrimRight(string(line[1:]), "\r\n")
	switch kind {
	case '+':
		return text, nil
	case '-':
		return nil, refusal(text)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return nil, errReply
	case kind == ':':
		return n, nil
	case n == -1 && (kind == '$' || kind == '*'):
		return nil, nil
	case kind == '$' && n >= 0 && n <= longestReply:
		return c.text(int(n))
	case kind == '*' && n >= 0 && n <= mostElements && levels > 0:
		return c.list(int(n), levels-1)
	}
	return nil, errReply
}

func (c *conn) text(n int) (any, error) {
	text := make([]byte, n+len("\r\n"))
	_, err := io.ReadFull(c.in, text)
	return string(text[:n]), err
}

func (c *conn) list(n, levels int) (any, error) {
	var all []any
	for range n {
		one, err := c.read(levels)
		if _, inside := errors.AsType[refusal](err); err != nil && !inside {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}
