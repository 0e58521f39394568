package transport

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// maxEvents is the most descriptors that one call of wait returns.
const maxEvents = 128

// epoll reports which descriptors have input. It is edge-triggered: the system reports new input once. The
// caller must read until a read returns less than it has room for. After peerClosed the caller must
// read until the end.
type epoll struct {
	fd     int
	waker  int // an eventfd, which wake makes readable
	events [maxEvents]syscall.EpollEvent

	monotonic func() int64 // in nanoseconds
	yielded   int64        // when wait has yielded
}

// peerClosed are the events after which no further input comes.
const peerClosed = syscall.EPOLLRDHUP | syscall.EPOLLHUP | syscall.EPOLLERR

// edge is EPOLLET, which package syscall defines as a negative number.
const edge = 1 << 31

func (p *epoll) open() (err error) {
	if p.fd, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return err
	}
	fd, _, no := syscall.Syscall(syscall.SYS_EVENTFD2, 0, syscall.O_CLOEXEC|syscall.O_NONBLOCK, 0)
	if no != 0 {
		syscall.Close(p.fd)
		return no
	}
	p.waker = int(fd)
	return p.add(p.waker)
}

func (p *epoll) close() {
	syscall.Close(p.waker)
	syscall.Close(p.fd)
}

// add watches a descriptor until it is removed or closed.
func (p *epoll) add(fd int) error {
	return syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP | edge, Fd: int32(fd)})
}

func (p *epoll) remove(fd int) {
	syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_DEL, fd, &syscall.EpollEvent{})
}

// wait returns the descriptors with new input. If block is true and there are none, it waits for one, or at
// most for a time if that is not 0. If yields is true, it lets other goroutines run before it waits. A
// blocked system call would keep the processor from them for a while.
//
// It also yields from time to time. The runtime takes the processor away from a goroutine that has it for
// 10 ms. Its monitor then looks every 20 µs, for a while, whether there is more to take away.
func (p *epoll) wait(block, yields bool, most time.Duration) []syscall.EpollEvent {
	for {
		// This call does not block, so the runtime need not prepare for it.
		found, _, no := syscall.RawSyscall6(syscall.SYS_EPOLL_PWAIT, uintptr(p.fd),
			uintptr(unsafe.Pointer(&p.events)), maxEvents, 0, 0, 0)
		switch {
		case no == 0 && found > 0:
			return p.events[:found]
		case !block:
			return nil
		}
		if now := p.monotonic(); yields || most > 0 || now-p.yielded > int64(yieldEvery) {
			p.yielded = now
			runtime.Gosched()
		}
		if most > 0 {
			nap(most)
			block = false
		} else if n, _ := syscall.EpollWait(p.fd, p.events[:], -1); n > 0 {
			return p.events[:n]
		}
	}
}

// yieldEvery is short enough for two yields within 10 ms.
const yieldEvery = 4 * time.Millisecond

// longestNap is how long a loop sleeps at most before it asks for new input.
const longestNap = 150 * time.Microsecond

// nap sleeps, and does not end with the first input. So the clients that send something meanwhile share a
// turn. A sleep of package time can be a millisecond longer.
func nap(most time.Duration) {
	t := syscall.NsecToTimespec(int64(min(most, longestNap)))
	_ = syscall.Nanosleep(&t, nil)
}

// wake makes wait return. Any goroutine may call it until close.
func (p *epoll) wake() {
	one := [8]byte{1}
	syscall.Write(p.waker, one[:])
}

// clearWake takes back earlier calls of wake.
func (p *epoll) clearWake() {
	var scrap [8]byte
	syscall.Read(p.waker, scrap[:])
}

// transfer is a system call that moves bytes of a socket. These do less work in the kernel than read and
// write, which also serve files.
type transfer struct{ call, flags uintptr }

var (
	receive = transfer{syscall.SYS_RECVFROM, syscall.MSG_DONTWAIT}
	send    = transfer{syscall.SYS_SENDTO, syscall.MSG_DONTWAIT | syscall.MSG_NOSIGNAL}
)

// move moves available bytes to p, or as many bytes of p as the socket has room for, and does not block. It
// returns 0 bytes without an error at the end of the stream.
func (t *transfer) move(fd int, p []byte) (int, error) {
	for {
		n, _, no := syscall.RawSyscall6(t.call, uintptr(fd), uintptr(unsafe.Pointer(unsafe.SliceData(p))),
			uintptr(len(p)), t.flags, 0, 0)
		switch no {
		case 0:
			return int(n), nil
		case syscall.EINTR:
		default:
			return 0, no
		}
	}
}

// wouldBlock reports whether a call failed only because it would block.
func wouldBlock(err error) bool { return err == syscall.EAGAIN }
