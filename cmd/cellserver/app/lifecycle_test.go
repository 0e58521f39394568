package app

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestTwoServersInOneProcessShareNothing(t *testing.T) {
	a, b := start(t), start(t)
	ok(t, a.dial(t), "SET", "k", "a")
	require.Equal(t, int64(0), b.dial(t).Do("EXISTS", "k"))
	ok(t, a.dial(t), "DEBUG", "CLOCK", "SET", "5000000000")
	require.Equal(t, []any{"5", "0"}, a.dial(t).Do("TIME"))
	require.NotEqual(t, []any{"5", "0"}, b.dial(t).Do("TIME"))
	a.stop()
	a.wait(t)
	require.Equal(t, resptest.Simple("PONG"), b.dial(t).Do("PING"))
}

func TestPortInUseIsOneLine(t *testing.T) {
	a := start(t)
	port := a.Addr().(*net.TCPAddr).Port
	_, err := open(t, "--port", fmt.Sprint(port))
	require.EqualError(t, err, fmt.Sprintf(
		"cannot listen on 127.0.0.1:%d: address already in use: stop what listens there, or choose another port with --port", port))
	require.Equal(t, resptest.Simple("PONG"), a.dial(t).Do("PING"))
}

// An address that does not exist is an error, unless it is optional. A failed start leaves no listener open.
func TestAddressThatDoesNotExist(t *testing.T) {
	port := fmt.Sprint(porttest.Free(t))
	_, err := open(t, "--port", port, "--bind", "127.0.0.1", "203.0.113.1")
	require.EqualError(t, err, "cannot listen on 203.0.113.1:"+port+": cannot assign requested address: name an address of this machine with --bind, and a port that this user may open")
	_, err = open(t, "--port", port, "--bind", "-203.0.113.1")
	require.EqualError(t, err, "cannot listen: none of the optional addresses exists: name another one with --bind")
	in := start(t, "--port", port, "--bind", "127.0.0.1", "-203.0.113.1")
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
	require.Contains(t, in.log.String(), "an optional address is skipped")
}

func TestConnectionsBeforeRunAreServedByIt(t *testing.T) {
	in, err := open(t)
	require.NoError(t, err)
	c := in.dial(t)
	c.Send("PING")
	in.run(t)
	require.Equal(t, resptest.Simple("PONG"), c.Recv())
}

func TestStoppedServerDoesNotRunAgain(t *testing.T) {
	in := start(t)
	in.stop()
	in.wait(t)
	require.EqualError(t, in.Run(context.Background()), "this server has run before: make a new one")
}

func TestRunEndsWhenItsContextHasEnded(t *testing.T) {
	in, err := open(t)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, in.Run(ctx))
	_, err = net.Dial("tcp", in.Addr().String())
	require.Error(t, err)
}

func TestAnotherServerTakesThePortAtOnce(t *testing.T) {
	in := start(t)
	port := fmt.Sprint(in.Addr().(*net.TCPAddr).Port)
	for range 5 {
		require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
		in.stop()
		in.wait(t)
		in = start(t, "--port", port)
	}
}

// Every reply of a received batch leaves before its connection is closed.
func TestStopLetsRunningBatchesFinish(t *testing.T) {
	in := start(t)
	c := in.dial(t)
	batch := bytes.Repeat(resptest.Command("INCR", "n"), 20_000)
	ok(t, c, "SET", "n", 0)
	var sent sync.WaitGroup
	sent.Go(func() { c.NetConn().Write(batch) })
	first := c.Recv()
	require.Equal(t, int64(1), first)
	in.stop()
	want := int64(2)
	for ; ; want++ {
		reply, err := c.TryRecv()
		if err != nil {
			break
		}
		require.Equal(t, want, reply)
	}
	in.wait(t)
	sent.Wait()
	require.NotContains(t, in.log.String(), "disconnected")
}

func TestStopDoesNotWaitForSlowReaders(t *testing.T) {
	in := start(t, "--shutdown-timeout", "0")
	c := in.dial(t)
	ok(t, c, "SET", "big", strings.Repeat("x", 8<<20))
	c.Write(bytes.Repeat(resptest.Command("GET", "big"), 4)) // and does not read the replies
	require.Eventually(t, func() bool { return in.pending() > 0 }, timeout, time.Millisecond)
	in.stop()
	in.wait(t)
	require.Contains(t, in.log.String(), "disconnected")
}

func TestUnixSocket(t *testing.T) {
	path := resptest.SocketPath(t)
	dir := filepath.Dir(path)
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	require.NoError(t, err)
	stale.SetUnlinkOnClose(false)
	stale.Close()
	require.FileExists(t, path, "a killed server leaves its socket behind")

	in := start(t, "--port", "0", "--dir", dir, "--unixsocket", "s", "--unixsocketperm", "700")
	require.Equal(t, path, in.Addr().String())
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	_, err = open(t, "--port", "0", "--unixsocket", path)
	require.EqualError(t, err, "cannot listen on "+path+": address already in use: stop what listens there, or choose another path with --unixsocket")
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"), "the socket in use is left alone")
	in.stop()
	in.wait(t)
	require.NoFileExists(t, path)
}

func TestUnixSocketReplacesNothingElse(t *testing.T) {
	path := resptest.SocketPath(t)
	require.NoError(t, os.WriteFile(path, []byte("data"), 0o600))
	_, err := open(t, "--port", "0", "--unixsocket", path)
	require.EqualError(t, err, "cannot listen on "+path+": address already in use: remove what is there, or choose another path with --unixsocket")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "data", string(text))
}

func TestConfigSetMovesTheListeners(t *testing.T) {
	in := start(t)
	c := in.dial(t)
	before := in.Addr().String()
	next := porttest.Free(t)
	ok(t, c, "CONFIG", "SET", "port", next)
	require.Equal(t, fmt.Sprintf("127.0.0.1:%d", next), in.Addr().String())
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"))
	require.Equal(t, resptest.Simple("PONG"), c.Do("PING"), "connected clients stay connected")
	_, err := net.Dial("tcp", before)
	require.Error(t, err)

	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	reply := c.Do("CONFIG", "SET", "hz", 11, "port", taken.Addr().(*net.TCPAddr).Port)
	require.Contains(t, fmt.Sprint(reply), "argument 'port') - Unable to listen on this port: ")
	require.Contains(t, fmt.Sprint(reply), "address already in use")
	require.Equal(t, []any{"port", fmt.Sprint(next)}, c.Do("CONFIG", "GET", "port"))
	require.Equal(t, resptest.Simple("PONG"), in.dial(t).Do("PING"), "a refused change keeps the port")

	ok(t, c, "CONFIG", "SET", "bind", "*")
	require.Equal(t, fmt.Sprintf("0.0.0.0:%d", next), in.Addr().String())
}

// A panic in a background round is logged with its stack, and the next round runs.
func TestBackgroundSurvivesPanics(t *testing.T) {
	in, err := open(t)
	require.NoError(t, err)
	defer in.sockets.Close()
	b := background{log: &in.App.log}
	b.log.guard("a background round panicked", func() { panic("oops") })
	require.Contains(t, in.log.String(), "a background round panicked")
	require.Contains(t, in.log.String(), "lifecycle_test.go")
	rounds := 0
	b.log.guard("a background round panicked", func() { rounds++ })
	require.Equal(t, 1, rounds)
}

// A panic in the periodic work of the disk does not end it either. It ended the server.
func TestTheDiskSurvivesPanics(t *testing.T) {
	in, err := open(t)
	require.NoError(t, err)
	defer in.sockets.Close()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer stop()
		(&disk{}).tick(ctx, &in.App.log) // without a manager, each tick panics
	})
	require.Greater(t, strings.Count(in.log.String(), "the periodic work of the disk panicked"), 1)
}

func TestExpiredKeysAreRemovedInTheBackground(t *testing.T) {
	in := start(t, "--hz", "100")
	c := in.dial(t)
	ok(t, c, "DEBUG", "CLOCK", "SET", "1000000000000")
	for i := range 1000 {
		ok(t, c, "SET", i, "v", "EX", 10)
	}
	ok(t, c, "DEBUG", "SET-ACTIVE-EXPIRE", 0)
	ok(t, c, "DEBUG", "CLOCK", "ADVANCE", int64(11*time.Second))
	require.Equal(t, int64(1000), c.Do("DBSIZE"))
	ok(t, c, "DEBUG", "SET-ACTIVE-EXPIRE", 1)
	require.Eventually(t, func() bool { return c.Do("DBSIZE") == int64(0) }, timeout, time.Millisecond)
}

// A script without an end does not keep the server from stopping, and what it has written is not in the log.
func TestScriptsDoNotKeepTheServer(t *testing.T) {
	for _, stop := range []func(in *instance){
		func(in *instance) { in.dial(t).Send("SHUTDOWN", "NOSAVE") },
		func(in *instance) { in.stop() }, // SIGTERM, after shutdown-timeout
	} {
		dir := t.TempDir()
		in := start(t, "--dir", dir, "--appendonly", "yes", "--save", "3600 1", "--shutdown-timeout", "1")
		ok(t, in.dial(t), "SET", "k", "old")
		in.dial(t).Send("EVAL", "redis.call('set', KEYS[1], 'new') while true do end", 1, "k")
		probe := in.dial(t)
		ok(t, probe, "CONFIG", "SET", "busy-reply-threshold", "1")
		require.Eventually(t, func() bool {
			busy, _ := probe.Do("GET", "k").(resptest.Error)
			return strings.HasPrefix(string(busy), "BUSY")
		}, timeout, time.Millisecond)
		stop(in)
		in.wait(t)
		again := start(t, "--dir", dir, "--appendonly", "yes")
		require.Equal(t, "old", again.dial(t).Do("GET", "k"))
		again.stop()
		again.wait(t)
	}
}
