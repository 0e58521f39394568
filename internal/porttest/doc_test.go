package porttest

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFree(t *testing.T) {
	seen := map[int]bool{}
	for range 200 {
		port := Free(t)
		for _, at := range []int{port, port + toOtherPort} {
			require.False(t, seen[at])
			seen[at] = true
			require.Less(t, at, 32_768)
			ln, err := net.Listen("tcp", address(at))
			require.NoError(t, err)
			require.NoError(t, ln.Close())
		}
	}
}

// The ports of servers and the ports above them are two ranges, which do not overlap.
func TestTheRangesAreApart(t *testing.T) {
	require.LessOrEqual(t, highest, lowest+toOtherPort)
	require.LessOrEqual(t, highest+toOtherPort, 32_768)
}

func TestATakenPortIsNotFree(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	require.False(t, free(ln.Addr().(*net.TCPAddr).Port))
}

// Another process that asks for the same port finds its UDP socket in use, until the test ends.
func TestAPortIsHeld(t *testing.T) {
	var port int
	t.Run("during the test", func(t *testing.T) {
		port = Free(t)
		_, err := net.ListenPacket("udp", address(port))
		require.Error(t, err)
	})
	holder, err := net.ListenPacket("udp", address(port))
	require.NoError(t, err)
	require.NoError(t, holder.Close())
}
