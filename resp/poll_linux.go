package resp

import (
	"runtime"
	"syscall"
	"unsafe"
)

// poller tells which descriptors can be read from: epoll, level-triggered. A level-triggered one
// costs one read for each batch; with the edge every client would be read from until nothing comes.
type poller struct {
	epoll  int
	waker  int // an eventfd, which wake makes readable
	events [turnSize]syscall.EpollEvent
	ready  [turnSize]int
}

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
	return syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)})
}

func (p *poller) remove(fd int) {
	syscall.EpollCtl(p.epoll, syscall.EPOLL_CTL_DEL, fd, &syscall.EpollEvent{})
}

// wait returns descriptors that can be read from or have failed, at least one.
func (p *poller) wait() []int {
	n := p.look()
	for n <= 0 {
		// What other goroutines have to do comes before sleep, which would keep their processor a while.
		runtime.Gosched()
		n, _ = syscall.EpollWait(p.epoll, p.events[:], -1)
	}
	for i := range n {
		p.ready[i] = int(p.events[i].Fd)
	}
	return p.ready[:n]
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

// hush takes the waking back.
func (p *poller) hush() {
	var scrap [8]byte
	syscall.Read(p.waker, scrap[:])
}

// readFrom reads what has come. It does not wait: 0 bytes without an error are the end.
func readFrom(fd int, p []byte) (int, error) {
	n, _, no := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if no != 0 {
		return 0, no
	}
	return int(n), nil
}

// writeTo sends as much as there is room for.
func writeTo(fd int, p []byte) (int, error) {
	n, _, no := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))), uintptr(len(p)))
	if no != 0 {
		return 0, no
	}
	return int(n), nil
}

// passing reports whether an error only says that it is not the moment.
func passing(err error) bool { return err == syscall.EAGAIN || err == syscall.EINTR }

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
