package app

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFewConns holds that a connection waits until another one is closed.
func TestFewConns(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ln := newFewConns(inner, 2)
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			nc, err := ln.Accept()
			if err != nil {
				return
			}
			accepted <- nc
		}
	}()
	for range 3 {
		nc, err := net.Dial("tcp", ln.Addr().String())
		require.NoError(t, err)
		defer nc.Close()
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		require.Fail(t, "two connections are open")
	default:
	}
	require.NoError(t, first.Close())
	first.Close() // a second time frees nothing
	third := <-accepted
	require.Len(t, ln.open, 2)
	require.NoError(t, second.Close())
	require.NoError(t, third.Close())
	require.NoError(t, ln.Close())
	_, open := <-accepted
	require.False(t, open)
}
