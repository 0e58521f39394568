package webload

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

// connection is one connection, with at most one request without a reply.
type connection struct {
	file    *os.File // keeps fd open
	fd      int      // it never blocks
	number  int
	sent    int           // requests so far
	waiting bool          // for the reply to the last one
	due     time.Duration // of the last one
	free    time.Duration // when its reply was there
	request []byte
	reply   []byte // what has arrived of a reply
}

func dial(addr string, number int) (*connection, error) {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	file, err := nc.(*net.TCPConn).File()
	if err != nil {
		return nil, err
	}
	c := &connection{file: file, fd: int(file.Fd()), number: number, reply: make([]byte, 0, 16<<10)}
	return c, syscall.SetNonblock(c.fd, true)
}

func (c *connection) close() { c.file.Close() }

// send sends the next request.
func (c *connection) send(request func(to []byte, connection, i int) []byte, due time.Duration) error {
	c.request = request(c.request[:0], c.number, c.sent)
	n, err := syscall.Write(c.fd, c.request)
	if err == nil && n < len(c.request) {
		err = io.ErrShortWrite
	}
	c.sent++
	c.waiting, c.due = true, due
	return err
}

// read reads what has arrived. It returns the status of the reply, 0 if the reply is not whole yet.
func (c *connection) read() (status int, err error) {
	if len(c.reply) == cap(c.reply) {
		return 0, fmt.Errorf("a reply has more than %d bytes", cap(c.reply))
	}
	n, err := syscall.Read(c.fd, c.reply[len(c.reply):cap(c.reply)])
	switch {
	case errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR):
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.ErrUnexpectedEOF
	}
	c.reply = c.reply[:len(c.reply)+n]
	status, size, err := parse(c.reply)
	if err != nil || size == 0 {
		return 0, err
	}
	if size < len(c.reply) || !c.waiting {
		return 0, fmt.Errorf("there are more bytes than a reply: %q", c.reply)
	}
	c.reply, c.waiting = c.reply[:0], false
	return status, nil
}

// parse returns the status and the size of a reply, which has a Content-Length. The size is 0 if the reply is not whole.
func parse(b []byte) (status, size int, err error) {
	head, _, whole := bytes.Cut(b, []byte("\r\n\r\n"))
	if !whole {
		return 0, 0, nil
	}
	line, fields, _ := bytes.Cut(head, []byte("\r\n"))
	if len(line) < 12 {
		return 0, 0, fmt.Errorf("this is no status: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, err
	}
	size = len(head) + len("\r\n\r\n")
	for len(fields) > 0 {
		line, fields, _ = bytes.Cut(fields, []byte("\r\n"))
		name, value, _ := bytes.Cut(line, []byte(": "))
		if !bytes.EqualFold(name, []byte("Content-Length")) {
			continue
		}
		length, err := strconv.Atoi(string(value))
		if err != nil {
			return 0, 0, err
		}
		size += length
	}
	if size > len(b) {
		return 0, 0, nil
	}
	return status, size, nil
}
