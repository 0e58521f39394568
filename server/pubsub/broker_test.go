package pubsub_test

import (
	"fmt"
	"sync"
	"testing"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/pubsub"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestSubscriptions counts the subscriptions of connections, channels and patterns.
func TestSubscriptions(t *testing.T) {
	broker := pubsub.New()
	a, _ := servertest.NewConn(t, 2)
	b, _ := servertest.NewConn(t, 2)
	for _, step := range []struct {
		name     string
		act      func() bool
		changed  bool
		ofA      int64
		news     int // subscribers of the channel news
		channels []string
		patterns int
	}{
		{"a channel", func() bool { return broker.Subscribe(a, commands.Channel, "news") }, true, 1, 1, []string{"news"}, 0},
		{"the same again", func() bool { return broker.Subscribe(a, commands.Channel, "news") }, false, 1, 1, []string{"news"}, 0},
		{"a pattern", func() bool { return broker.Subscribe(a, commands.Pattern, "news") }, true, 2, 1, []string{"news"}, 1},
		{"another client", func() bool { return broker.Subscribe(b, commands.Channel, "news") }, true, 2, 2, []string{"news"}, 1},
		{"another channel", func() bool { return broker.Subscribe(b, commands.Channel, "art") }, true, 2, 2, []string{"art", "news"}, 1},
		{"an end", func() bool { return broker.Unsubscribe(a, commands.Channel, "news") }, true, 1, 1, []string{"art", "news"}, 1},
		{"the same end again", func() bool { return broker.Unsubscribe(a, commands.Channel, "news") }, false, 1, 1, []string{"art", "news"}, 1},
		{"the first client leaves", func() bool { broker.Leave(a); return a.Subs.Subscribed() }, false, 0, 1, []string{"art", "news"}, 0},
		{"the second client leaves", func() bool { broker.Leave(b); return b.Subs.Subscribed() }, false, 0, 0, nil, 0},
	} {
		require.Equal(t, step.changed, step.act(), step.name)
		require.Equal(t, step.ofA, int64(a.Subs.Count(commands.Channel)), step.name)
		require.Equal(t, step.news, broker.Subscribers(commands.Channel, []byte("news")), step.name)
		require.Equal(t, step.channels, broker.Channels(commands.Channel), step.name)
		require.Equal(t, len(step.channels), broker.Len(commands.Channel), step.name)
		require.Equal(t, step.patterns, broker.Patterns(), step.name)
	}
	require.Zero(t, a.Subs.Bytes)
	require.Zero(t, b.Subs.Bytes)
}

// TestDeliveries: channels come before patterns, and patterns in their order. The own message follows the reply.
func TestDeliveries(t *testing.T) {
	broker := pubsub.New()
	reader, peer := servertest.NewConn(t, 3)
	writer, writerPeer := servertest.NewConn(t, 2)
	for _, pattern := range []string{"n*", "*s", "x*"} {
		broker.Subscribe(reader, commands.Pattern, pattern)
	}
	broker.Subscribe(reader, commands.Channel, "news")
	broker.Subscribe(writer, commands.Channel, "news")
	require.Equal(t, 4, broker.Publish(writer, commands.Channel, []byte("news"), []byte("m")))
	require.Equal(t, []any{
		resptest.Push{"message", "news", "m"}, resptest.Push{"pmessage", "*s", "news", "m"}, resptest.Push{"pmessage", "n*", "news", "m"},
	}, peer.TakePushes())
	require.Empty(t, writerPeer.Pushes)
	var w resp.Writer
	writer.Link.FlushSelfPushes(&w)
	require.Equal(t, "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\nm\r\n", string(w.Bytes()))
	require.Zero(t, broker.Publish(writer, commands.Channel, []byte("other"), []byte("m")))
}

// TestSubscribersSeeOneOrder: while many connections publish, all subscribers get the same sequence.
func TestSubscribersSeeOneOrder(t *testing.T) {
	broker := pubsub.New()
	first, firstPeer := servertest.NewConn(t, 2)
	second, secondPeer := servertest.NewConn(t, 2)
	broker.Subscribe(first, commands.Channel, "news")
	broker.Subscribe(second, commands.Channel, "news")
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			by := new(commands.Conn)
			for j := range 100 {
				broker.Publish(by, commands.Channel, []byte("news"), fmt.Append(nil, i, " ", j))
			}
		})
	}
	all.Wait()
	require.Len(t, firstPeer.Pushes, 800)
	require.Equal(t, firstPeer.Pushes, secondPeer.Pushes)
}
