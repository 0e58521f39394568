package monitor_test

import (
	"sync"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/monitor"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func call(by *commands.Conn, flags commands.Flags, args ...string) *commands.Call {
	c := &commands.Call{Cmd: &commands.Command{Name: args[0], Flags: flags}, Now: servertest.Start, Conn: by,
		Server: &commands.Server{Clock: &servertest.Clock{}}}
	for _, a := range args {
		c.Args = append(c.Args, []byte(a))
	}
	return c
}

// TestLines shows commands as lines, without administrative commands and secrets.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		flags  commands.Flags
		secret []int
		args   []string
		line   string
	}{
		{0, nil, []string{"get", "k"}, `"get" "k"`},
		{0, nil, []string{"set", "\"\\\n\r\t\a\b", "\x00\v\x7fé"}, `"set" "\"\\\n\r\t\a\b" "\x00\x0b\x7f\xc3\xa9"`},
		{0, []int{1}, []string{"auth", "password"}, `"auth" "(redacted)"`},
		{commands.Admin, nil, []string{"config"}, ""},
		{commands.SkipMonitor, nil, []string{"exec"}, ""},
	} {
		var feed monitor.Feed
		watcher, peer := servertest.NewConn(t, 2)
		feed.Add(watcher)
		shown := call(&commands.Conn{DB: 3}, c.flags, c.args...)
		shown.Secret = c.secret
		feed.Send(shown.Conn, feed.Line(shown, "127.0.0.1:60866"))
		var want []any
		if c.line != "" {
			want = []any{resptest.Simple("1700000000.123456 [3 127.0.0.1:60866] " + c.line)}
		}
		require.Equal(t, want, peer.TakePushes(), c.args)
	}
}

// TestMonitorsSeeOneOrder: while many connections run commands, all monitors get the same sequence.
func TestMonitorsSeeOneOrder(t *testing.T) {
	var feed monitor.Feed
	require.False(t, feed.On())
	first, firstPeer := servertest.NewConn(t, 2)
	second, secondPeer := servertest.NewConn(t, 3)
	feed.Add(first)
	feed.Add(second)
	require.Equal(t, int64(2), feed.Len())
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			by := &commands.Conn{DB: i}
			for range 100 {
				feed.Send(by, feed.Line(call(by, 0, "get", "k"), "addr"))
			}
		})
	}
	all.Wait()
	require.Len(t, firstPeer.Pushes, 800)
	require.Equal(t, firstPeer.TakePushes(), secondPeer.TakePushes())
	feed.Remove(first)
	feed.Remove(first)
	feed.Send(second, feed.Line(call(second, 0, "get", "k"), "addr"))
	require.Empty(t, firstPeer.Pushes)
	require.Empty(t, secondPeer.Pushes, "the own command follows its reply")
	require.True(t, feed.On())
	feed.Remove(second)
	require.False(t, feed.On())
}
