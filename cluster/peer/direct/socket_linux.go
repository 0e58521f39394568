package direct

import (
	"io"
	"net"
	"sync"
	"syscall"
	"unsafe"
)

// socket is a TCP connection. Its embedded connection does everything but Read and Write.
type socket struct {
	*net.TCPConn
	raw  syscall.RawConn
	in   direction
	out  direction
	read func(fd uintptr) (ready bool)
	send func(fd uintptr) (ready bool)
}

// direction is one of the two directions of a connection, and what its present call does.
type direction struct {
	mu   sync.Mutex // guards the fields below
	p    []byte     // what is left of the caller's bytes
	done int
	err  error
}

func of(tcp *net.TCPConn) net.Conn {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return tcp
	}
	s := &socket{TCPConn: tcp, raw: raw}
	s.read, s.send = s.readNow, s.sendNow // made once: a call allocates nothing
	return s
}

// Read implements [net.Conn].
func (s *socket) Read(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	return s.in.transfer(p, s.raw.Read, s.read)
}

// Write implements [net.Conn].
func (s *socket) Write(p []byte) (n int, err error) { return s.out.transfer(p, s.raw.Write, s.send) }

// transfer makes a call again whenever the socket is ready, until the call says that it is done.
func (d *direction) transfer(p []byte, whenReady func(func(uintptr) bool) error, call func(uintptr) bool) (n int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.p, d.done, d.err = p, 0, nil
	err = whenReady(call)
	n, d.p = d.done, nil
	if d.err != nil {
		err = d.err
	}
	return n, err
}

// readNow reads what is there. It reports false if there is nothing yet.
func (s *socket) readNow(fd uintptr) bool {
	n, no := transfer(syscall.SYS_RECVFROM, fd, s.in.p, syscall.MSG_DONTWAIT)
	switch {
	case no == syscall.EAGAIN:
		return false
	case no != 0:
		s.in.err = s.failure("read", no)
	case n == 0:
		s.in.err = io.EOF
	}
	s.in.done = n
	return true
}

// sendNow sends what the socket has room for. It reports false if more is left.
func (s *socket) sendNow(fd uintptr) bool {
	for len(s.out.p) > 0 {
		n, no := transfer(syscall.SYS_SENDTO, fd, s.out.p, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL)
		switch {
		case no == syscall.EAGAIN:
			return false
		case no != 0:
			s.out.err = s.failure("write", no)
			return true
		}
		s.out.p, s.out.done = s.out.p[n:], s.out.done+n
	}
	return true
}

// failure returns an error as package net makes it.
func (s *socket) failure(op string, no syscall.Errno) error {
	return &net.OpError{Op: op, Net: "tcp", Source: s.LocalAddr(), Addr: s.RemoteAddr(), Err: no}
}

// transfer moves bytes between a socket and p, without waiting.
func transfer(call, fd uintptr, p []byte, flags uintptr) (n int, no syscall.Errno) {
	for {
		moved, _, no := syscall.RawSyscall6(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), flags, 0, 0)
		switch no {
		case 0:
			return int(moved), 0
		case syscall.EINTR:
		default:
			return 0, no
		}
	}
}
