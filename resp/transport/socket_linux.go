package transport

import (
	"errors"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// socket is a connection on a descriptor that comes from an event loop. Package net can only make a
// connection of a duplicate, and near the limit of open files there is no second descriptor.
type socket struct {
	*os.File
	remote, local net.Addr
}

// newSocket takes over a descriptor that does not block.
func newSocket(fd int, remote, local net.Addr) socket {
	return socket{os.NewFile(uintptr(fd), "client"), remote, local}
}

// RemoteAddr implements [net.Conn].
func (s socket) RemoteAddr() net.Addr { return s.remote }

// LocalAddr implements [net.Conn].
func (s socket) LocalAddr() net.Addr { return s.local }

// CloseWrite ends the direction to the client.
func (s socket) CloseWrite() (err error) {
	return control(s, func(fd int) error { return syscall.Shutdown(fd, syscall.SHUT_WR) })
}

// duplicate returns a descriptor of the same socket, which Go's runtime does not know.
func duplicate(raw syscall.Conn) (fd int, err error) {
	err = control(raw, func(old int) error {
		n, _, no := syscall.Syscall(syscall.SYS_FCNTL, uintptr(old), syscall.F_DUPFD_CLOEXEC, 0)
		if fd = int(n); no != 0 {
			return no
		}
		return nil
	})
	return fd, err
}

// sendNow writes p to a new connection, as far as the socket has room for it.
func sendNow(nc net.Conn, p []byte) {
	if raw, ok := nc.(syscall.Conn); ok {
		control(raw, func(fd int) error {
			_, err := send.move(fd, p)
			return err
		})
	}
}

// hungUp reports whether the other side has closed its half of a connection, or the connection is lost.
func hungUp(nc net.Conn) bool {
	raw, ok := socketOf(nc).(syscall.Conn)
	if !ok {
		return false
	}
	gone := false
	err := control(raw, func(fd int) error {
		asked := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(asked, 0)
		gone = n > 0
		return err
	})
	return gone || err != nil && !errors.Is(err, unix.EINTR)
}

// control calls f with the descriptor of a socket.
func control(raw syscall.Conn, f func(fd int) error) error {
	rc, err := raw.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = rc.Control(func(fd uintptr) { failed = f(int(fd)) })
	if err == nil {
		err = failed
	}
	return err
}
