package main

import (
	"errors"
	"net"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// listenFar returns an address of a server that is a trip away: what one side writes arrives after half of the
// trip.
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

// carry copies bytes in their order. Each part arrives after a time. Both ends close after the first end.
func carry(to, from net.Conn, after time.Duration) {
	type part struct {
		at    time.Time
		bytes []byte
	}
	const mostUnderway = 1024
	parts := make(chan part, mostUnderway)
	go func() {
		defer close(parts)
		for buf := make([]byte, 64<<10); ; {
			n, err := from.Read(buf)
			if err != nil {
				return
			}
			parts <- part{time.Now().Add(after), slices.Clone(buf[:n])}
		}
	}()
	for p := range parts {
		sleepUntil(p.at)
		if _, err := to.Write(p.bytes); err != nil {
			break
		}
	}
	_, _ = to.Close(), from.Close()
	for range parts { // the reader ends
	}
}

// sleepUntil sleeps to a few microseconds. A timer of Go may be a millisecond late while nothing else runs.
func sleepUntil(at time.Time) {
	for left := time.Until(at); left > 0; left = time.Until(at) {
		t := syscall.NsecToTimespec(left.Nanoseconds())
		if err := syscall.Nanosleep(&t, nil); err != nil && !errors.Is(err, syscall.EINTR) {
			time.Sleep(left)
		}
	}
}
