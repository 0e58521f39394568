package resp

import (
	"runtime"
	"syscall"
	"unsafe"
)

// poller tells which descriptors something has come for: epoll, edge-triggered, so that the system
// looks at each once and not again to see that it was emptied. Whoever is told has to read until a
// read gets less than it has room for, and to the end if closing says that it has come.
type poller struct {
	epoll  int
	waker  int // an eventfd, which wake makes readable
	events [turnSize]syscall.EpollEvent
}

// closing are the events that say that no more will come after what has.
const closing = syscall.EPOLLRDHUP | syscall.EPOLLHUP | syscall.EPOLLERR

// edge is EPOLLET, which package syscall has as a negative number.
const edge = 1 << 31

func (p *poller) open() (err error) {
	if p.epoll, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return err
	}
	fd, _, no := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if no != 0 {
		syscall.Close(p.epoll)
		return no
	}
	p.waker = int(fd)
	return p.add(p.waker)
}

func (p *poller) close() {
	syscall.Close(p.waker)
	syscall.Close(p.epoll)
}

// add watches a descriptor until it is removed or closed.
func (p *poller) add(fd int) error {
	return syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP | edge, Fd: int32(fd)})
}

func (p *poller) remove(fd int) {
	syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_DEL, fd, &syscall.EpollEvent{})
}

// wait returns descriptors for which something has come: at once, or if sleep is true when there is
// one at last.
func (p *poller) wait(sleep bool) []syscall.EpollEvent {
	n := p.look()
	for n <= 0 && sleep {
		// What other goroutines have to do comes before sleep, which would keep their processor a while.
		runtime.Gosched()
		n, _ = syscall.EpollWait(p.epoll, p.events[:], -1)
	}
	return p.events[:max(n, 0)]
}

// look asks without waiting, and so without the runtime's care for calls that may.
func (p *poller) look() int {
	n, _, no := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.epoll), uintptr(unsafe.Pointer(&p.events)), turnSize, 0, 0, 0)
	if no != 0 {
		return 0
	}
	return int(n)
}

// wake makes wait return. Any goroutine may call it until the loop is over.
func (p *poller) wake() {
	one := [8]byte{1}
	syscall.Write(p.waker, one[:])
}

// woken reports whether an event is that of wake.
func (p *poller) woken(e syscall.EpollEvent) bool { return int(e.Fd) == p.waker }

// hush takes the waking back.
func (p *poller) hush() {
	var scrap [8]byte
	syscall.Read(p.waker, scrap[:])
}

// readFrom reads what has come. It does not wait: 0 bytes without an error are the end.
func readFrom(fd int, p []byte) (int, error) {
	return transfer(syscall.SYS_RECVFROM, fd, p, syscall.MSG_DONTWAIT)
}

// writeTo sends as much as there is room for.
func writeTo(fd int, p []byte) (int, error) {
	return transfer(syscall.SYS_SENDTO, fd, p, syscall.MSG_DONTWAIT|syscall.MSG_NOSIGNAL)
}

// transfer moves bytes between a socket and p. The calls for sockets are shorter in the system than
// read and write, which files share.
func transfer(call uintptr, fd int, p []byte, flags uintptr) (int, error) {
	for {
		n, _, no := syscall.RawSyscall6(call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)), flags, 0, 0)
		switch no {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, no
		}
	}
}

// passing reports whether an error only says that it is not the moment.
func passing(err error) bool { return err == syscall.EAGAIN }

// cutOff ends a connection in both directions without closing its descriptor.
func cutOff(fd int) { syscall.Shutdown(fd, syscall.SHUT_RDWR) }

// duplicate returns a descriptor of the same socket, which the runtime knows nothing of.
func duplicate(raw syscall.Conn) (fd int, err error) {
	rc, err := raw.SyscallConn()
	if err != nil {
		return -1, err
	}
	var no syscall.Errno
	err = rc.Control(func(old uintptr) {
		var n uintptr
		n, _, no = syscall.Syscall(syscall.SYS_FCNTL, old, syscall.F_DUPFD_CLOEXEC, 0)
		fd = int(n)
	})
	if err == nil && no != 0 {
		err = no
	}
	return fd, err
}
