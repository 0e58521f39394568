package main

import (
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// listenFar returns an address of a server that is a trip away: what one side writes arrives after half of
// the trip.
func listenFar(t testing.TB, server string) (addr string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return // it is closed
			}
			there, err := net.Dial("tcp", server)
			if err != nil {
				_ = near.Close()
				continue
			}
			go carry(there, near, trip/2)
			go carry(near, there, trip/2)
		}
	}()
	return l.Addr().String()
}

// carry copies bytes, each part after a time. Both ends close after the first end. A client waits for its
// reply, so no part waits for an earlier one.
func carry(to, from net.Conn, after time.Duration) {
	defer to.Close()
	defer from.Close()
	for buf := make([]byte, 64<<10); ; {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		// A timer of Go may be a millisecond late while nothing else runs.
		pause := syscall.NsecToTimespec(after.Nanoseconds())
		for syscall.Nanosleep(&pause, &pause) == syscall.EINTR {
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}
