package webload

import (
	"errors"
	"syscall"
)

// poller knows which connections have bytes to read.
type poller struct {
	fd      int
	events  []syscall.EpollEvent
	numbers []int
}

func newPoller(most int) (*poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	return &poller{fd: fd, events: make([]syscall.EpollEvent, most), numbers: make([]int, 0, most)}, err
}

func (p *poller) close() { syscall.Close(p.fd) }

// add adds a connection with its number.
func (p *poller) add(fd, number int) error {
	return syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(number)})
}

// ready returns the numbers of the connections that have bytes to read. It does not wait.
func (p *poller) ready() ([]int, error) {
	n, err := syscall.EpollWait(p.fd, p.events, 0)
	if err != nil && !errors.Is(err, syscall.EINTR) {
		return nil, err
	}
	p.numbers = p.numbers[:0]
	for i := range max(n, 0) {
		p.numbers = append(p.numbers, int(p.events[i].Fd))
	}
	return p.numbers, nil
}
