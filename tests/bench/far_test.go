package main

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestListenFar: bytes come back in their order, and no earlier than after the trip. The end of one side reaches the other one.
func TestListenFar(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer server.Close()
	go func() {
		c, err := server.Accept()
		if err == nil {
			_, _ = io.Copy(c, io.LimitReader(c, 300))
			_ = c.Close()
		}
	}()
	const trip = 20 * time.Millisecond
	far, err := listenFar(server.Addr().String(), trip)
	require.NoError(t, err)
	defer far.Close()
	c, err := net.Dial("tcp", far.Addr().String())
	require.NoError(t, err)
	defer c.Close()
	sent := time.Now()
	for i := range 100 {
		_, err = c.Write([]byte{byte(i), 'a', 'b'})
		require.NoError(t, err)
	}
	all, err := io.ReadAll(c)
	require.NoError(t, err)
	require.GreaterOrEqual(t, time.Since(sent), trip)
	require.Len(t, all, 300)
	for i := range 100 {
		require.Equal(t, []byte{byte(i), 'a', 'b'}, all[3*i:3*i+3])
	}
}
