package differential

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// A reply is one RESP value with its text on the wire. A double keeps its digits, and the values of resptest do not.
// kind is its type byte. A null keeps the byte of its form ('$', '*' or '_') and has null set.
type reply struct {
	kind  byte
	null  bool
	text  string
	elems []reply
}

func (r reply) isError() bool { return r.kind == '-' || r.kind == '!' }

func (r reply) isOK(text string) bool { return r.kind == '+' && r.text == text }

// String shows every difference that a client can see.
func (r reply) String() string {
	switch {
	case r.null:
		return "(null " + string(r.kind) + ")"
	case r.kind == ':' || r.kind == ',' || r.kind == '#' || r.kind == '(':
		return string(r.kind) + r.text
	case !isAggregate(r.kind):
		return string(r.kind) + strconv.Quote(r.text)
	}
	var b strings.Builder
	b.WriteByte(r.kind)
	b.WriteByte('[')
	for i, e := range r.elems {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(e.String())
	}
	b.WriteByte(']')
	return b.String()
}

func isAggregate(kind byte) bool { return strings.IndexByte("*%~>|", kind) >= 0 }

// replyTimeout is how long a server may take, as no command blocks.
const replyTimeout = 20 * time.Second

// A wire is one client connection. It sends arrays of bulk strings only.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(addr string) (*wire, error) {
	c, err := net.DialTimeout("tcp", addr, replyTimeout)
	if err != nil {
		return nil, err
	}
	return &wire{conn: c, in: bufio.NewReader(c)}, nil
}

func (w *wire) send(args []string) error {
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(a), a)
	}
	_, err := w.conn.Write(b)
	return err
}

// receive reads the next reply and drops pushes before it.
func (w *wire) receive() (reply, error) {
	if err := w.conn.SetReadDeadline(time.Now().Add(replyTimeout)); err != nil {
		return reply{}, err
	}
	for {
		r, err := w.read()
		if err != nil || r.kind != '>' {
			return r, err
		}
	}
}

func (w *wire) do(args ...string) (reply, error) {
	if err := w.send(args); err != nil {
		return reply{}, err
	}
	return w.receive()
}

func (w *wire) read() (reply, error) {
	line, err := w.in.ReadString('\n')
	if err != nil {
		return reply{}, err
	}
	if len(line) < 3 || line[len(line)-2] != '\r' {
		return reply{}, fmt.Errorf("malformed line %q", line)
	}
	r := reply{kind: line[0], text: line[1 : len(line)-2]}
	switch r.kind {
	case '+', '-', ':', ',', '#', '(':
		return r, nil
	case '_':
		r.null = true
		return r, nil
	}
	n, err := strconv.Atoi(r.text)
	if err != nil {
		return reply{}, fmt.Errorf("malformed line %q", line)
	}
	r.text = ""
	if n < 0 {
		r.null = true
		return r, nil
	}
	return w.readBody(r, n)
}

func (w *wire) readBody(r reply, n int) (reply, error) {
	switch r.kind {
	case '$', '=', '!':
		b := make([]byte, n+2)
		if _, err := io.ReadFull(w.in, b); err != nil {
			return reply{}, err
		}
		r.text = string(b[:n])
		return r, nil
	case '%', '|':
		n *= 2
	case '*', '~', '>':
	default:
		return reply{}, fmt.Errorf("unknown type %q", r.kind)
	}
	for range n {
		e, err := w.read()
		if err != nil {
			return reply{}, err
		}
		r.elems = append(r.elems, e)
	}
	return r, nil
}

// hasReply reports whether bytes of a reply have come.
func (w *wire) hasReply() bool {
	if w.in.Buffered() > 0 {
		return true
	}
	_ = w.conn.SetReadDeadline(time.Now().Add(50 * time.Microsecond))
	_, err := w.in.Peek(1)
	return err == nil
}
