package pubsub

import (
	"maps"
	"slices"

	"cellserver/commands"
	"cellserver/resp"
)

// SUBSCRIBE and PSUBSCRIBE subscribe the connection to channels and to patterns of channels.
// UNSUBSCRIBE and PUNSUBSCRIBE end subscriptions: the named ones, or all of their kind. Each
// channel and pattern gets a confirmation of its own.
var (
	_ = commands.Register(&commands.Command{
		Name: "subscribe", Arity: -2, Channels: commands.AllChannels, Flags: subscribeFlags,
		Group: commands.GroupPubSub, Since: "2.0.0",
		Summary: "Listen for messages published to the given channels", Usage: "channel [channel ...]",
		Complexity: "O(N) where N is the number of channels to subscribe to.",
		Run:        func(c *commands.Call) error { return subscribe(c, channels) },
	})
	_ = commands.Register(&commands.Command{
		Name: "psubscribe", Arity: -2, Channels: commands.AllPatterns, Flags: subscribeFlags,
		Group: commands.GroupPubSub, Since: "2.0.0",
		Summary: "Listen for messages published to channels matching the given patterns", Usage: "pattern [pattern ...]",
		Complexity: "O(N) where N is the number of patterns the client is already subscribed to.",
		Run:        func(c *commands.Call) error { return subscribe(c, patterns) },
	})
	_ = commands.Register(&commands.Command{
		Name: "unsubscribe", Arity: -1, Flags: subscribeFlags, Group: commands.GroupPubSub, Since: "2.0.0",
		Summary: "Stop listening for messages posted to the given channels", Usage: "[channel [channel ...]]",
		Complexity: "O(N) where N is the number of clients already subscribed to a channel.",
		Run:        func(c *commands.Call) error { return unsubscribe(c, channels) },
	})
	_ = commands.Register(&commands.Command{
		Name: "punsubscribe", Arity: -1, Flags: subscribeFlags, Group: commands.GroupPubSub, Since: "2.0.0",
		Summary: "Stop listening for messages posted to channels matching the given patterns", Usage: "[pattern [pattern ...]]",
		Complexity: "O(N+M) where N is the number of patterns the client is already subscribed and M " +
			"is the number of total patterns " +
			"subscribed in the system (by any client).",
		Run: func(c *commands.Call) error { return unsubscribe(c, patterns) },
	})
)

const subscribeFlags = commands.PubSub | commands.ConnectionFlags | commands.WhileSubscribed

// subject is the difference between the commands for channels and the commands for patterns.
type subject struct {
	kind   commands.Subject
	prefix string // of the words in confirmations: "psubscribe"
}

var (
	channels = subject{commands.Channel, ""}
	patterns = subject{commands.Pattern, "p"}
)

func subscribe(c *commands.Call, s subject) error {
	for _, arg := range c.Args[1:] {
		name := string(arg)
		c.Server.PubSub.Subscribe(c.Conn, s.kind, name)
		confirm(c, s.prefix+"subscribe", &name)
	}
	if !c.MayHold("subscriptions", c.Conn.Subs.Bytes) || !mayKeep(c, s) {
		return commands.CloseConnection
	}
	return nil
}

// mayKeep reports whether the user still has the right to new subscriptions. ACL SETUSER may have taken it
// away just before the broker knew them.
func mayKeep(c *commands.Call, s subject) bool {
	_, limits := c.Server.Users.Rights(c.Conn.Identity.User)
	if limits == nil {
		return true
	}
	return !slices.ContainsFunc(c.Args[1:], func(name []byte) bool { return !limits.AllowsChannel(string(name), s.kind == commands.Pattern) })
}

func unsubscribe(c *commands.Call, s subject) error {
	var names []string
	for _, arg := range c.Args[1:] {
		names = append(names, string(arg))
	}
	if names == nil {
		names = slices.Sorted(maps.Keys(c.Conn.Subs.Names(s.kind)))
	}
	word := s.prefix + "unsubscribe"
	for _, name := range names {
		c.Server.PubSub.Unsubscribe(c.Conn, s.kind, name)
		confirm(c, word, &name)
	}
	if names == nil {
		confirm(c, word, nil)
	}
	return nil
}

// confirm sends the confirmation of a subscription or of its end, with the number of all
// subscriptions. A nil name means that there was no subscription to end. A confirmation is a
// message, not a reply: CLIENT REPLY does not remove it.
func confirm(c *commands.Call, word string, name *string) {
	w, message := c.Out, resp.Writer{Proto: c.Out.Proto}
	dropped := c.Conn.Modes.Reply != commands.ReplyOn
	if dropped {
		w = &message
	}
	w.Push(3)
	w.BulkString(word)
	if name != nil {
		w.BulkString(*name)
	} else {
		w.Null()
	}
	w.Int(c.Conn.Subs.Total.Load())
	if dropped {
		c.Conn.Push(c.Conn, message.Bytes())
	}
}
