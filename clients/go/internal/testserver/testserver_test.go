package testserver

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// Another test program that asks for the same port finds it held, until the test ends.
func TestAPortIsHeld(t *testing.T) {
	port := ""
	t.Run("during the test", func(t *testing.T) {
		port = freePort(t)
		_, err := net.ListenPacket("udp", "127.0.0.1:"+port)
		require.Error(t, err)
	})
	holder, err := net.ListenPacket("udp", "127.0.0.1:"+port)
	require.NoError(t, err)
	require.NoError(t, holder.Close())
}
