package direct

import (
	"bytes"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pair returns the two ends of a TCP connection, the first one direct.
func pair(t *testing.T) (ours, theirs net.Conn) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	plain, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	theirs, err = ln.Accept()
	require.NoError(t, err)
	ours = Conn(plain)
	t.Cleanup(func() { ours.Close(); theirs.Close() })
	return ours, theirs
}

// More bytes than the socket has room for wait in both directions.
func TestAllBytesArrive(t *testing.T) {
	ours, theirs := pair(t)
	sent := bytes.Repeat([]byte("0123456789abcdef"), 1<<18)
	failed := make(chan error, 2)
	echoed := make(chan error, 1)
	go func() { _, err := io.Copy(theirs, theirs); echoed <- err }()
	go func() { _, err := ours.Write(sent); failed <- err }()
	got := make([]byte, len(sent))
	_, err := io.ReadFull(ours, got)
	require.NoError(t, err)
	require.NoError(t, <-failed)
	require.True(t, bytes.Equal(sent, got))
	require.NoError(t, ours.(interface{ CloseWrite() error }).CloseWrite())
	require.NoError(t, <-echoed)
	require.NoError(t, theirs.Close())
	n, err := ours.Read(got)
	require.Zero(t, n)
	require.Equal(t, io.EOF, err)
}

func TestNothingIsReadIntoNothing(t *testing.T) {
	ours, theirs := pair(t)
	n, err := ours.Read(nil)
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = ours.Write(nil)
	require.NoError(t, err)
	require.Zero(t, n)
	require.NoError(t, theirs.Close())
}

func TestWaitingEnds(t *testing.T) {
	t.Run("with its deadline", func(t *testing.T) {
		ours, _ := pair(t)
		require.NoError(t, ours.SetDeadline(time.Now().Add(10*time.Millisecond)))
		_, err := ours.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		_, err = ours.Write(make([]byte, 64<<20))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	})
	t.Run("with the connection", func(t *testing.T) {
		ours, _ := pair(t)
		ended := make(chan error)
		go func() { _, err := ours.Read(make([]byte, 1)); ended <- err }()
		require.NoError(t, ours.Close())
		require.ErrorIs(t, <-ended, net.ErrClosed)
		_, err := ours.Write([]byte("x"))
		require.ErrorIs(t, err, net.ErrClosed)
	})
}

func TestErrorsOfTheSystem(t *testing.T) {
	ours, theirs := pair(t)
	require.NoError(t, theirs.(*net.TCPConn).SetLinger(0))
	require.NoError(t, theirs.Close()) // resets the connection
	_, err := ours.Read(make([]byte, 1))
	require.ErrorContains(t, err, "reset")
	require.ErrorAs(t, err, new(*net.OpError))
	_, err = ours.Write([]byte("x"))
	require.ErrorAs(t, err, new(*net.OpError))
}

func TestOtherConnectionsStayAsTheyAre(t *testing.T) {
	one, other := net.Pipe()
	defer one.Close()
	defer other.Close()
	require.Same(t, one, Conn(one))
}
