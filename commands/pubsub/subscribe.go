package pubsub

import (
	"maps"
	"slices"

	"cellserver/commands"
	"cellserver/resp"
)

// SUBSCRIBE and PSUBSCRIBE subscribe the connection to channels and to patterns of channels, SSUBSCRIBE
// to channels of SPUBLISH. UNSUBSCRIBE, PUNSUBSCRIBE and SUNSUBSCRIBE end subscriptions: the named ones,
// or all of their kind. Each channel and pattern gets a confirmation of its own.
//
// In a cluster every node takes SSUBSCRIBE: it leads or follows all slots, and slots never move.
var (
	_ = commands.Register(&commands.Command{
		Name: "subscribe", Arity: -2, Channels: commands.AllChannels, Flags: subscribeFlags,
		Group: commands.GroupPubSub, Run: func(c *commands.Call) error { return subscribe(c, channels) }, Cost: costOfNames,
	})
	_ = commands.Register(&commands.Command{
		Name: "psubscribe", Arity: -2, Channels: commands.AllPatterns, Flags: subscribeFlags,
		Group: commands.GroupPubSub, Run: func(c *commands.Call) error { return subscribe(c, patterns) }, Cost: costOfNames,
	})
	_ = commands.Register(&commands.Command{
		Name: "unsubscribe", Arity: -1, Flags: subscribeFlags, Group: commands.GroupPubSub,
		Run: func(c *commands.Call) error { return unsubscribe(c, channels) }, Cost: costOfNames,
	})
	_ = commands.Register(&commands.Command{
		Name: "punsubscribe", Arity: -1, Flags: subscribeFlags, Group: commands.GroupPubSub,
		Run: func(c *commands.Call) error { return unsubscribe(c, patterns) }, Cost: costOfNames,
	})
	_ = commands.Register(&commands.Command{
		Name: "ssubscribe", Arity: -2, Channels: commands.AllShards, Flags: subscribeFlags,
		Group: commands.GroupPubSub, Run: func(c *commands.Call) error { return subscribe(c, shards) }, Cost: costOfNames,
	})
	_ = commands.Register(&commands.Command{
		Name: "sunsubscribe", Arity: -1, Channels: commands.LeftShards, Flags: subscribeFlags,
		Group: commands.GroupPubSub, Run: func(c *commands.Call) error { return unsubscribe(c, shards) }, Cost: costOfNames,
	})
)

const subscribeFlags = commands.PubSub | commands.ConnectionFlags | commands.WhileSubscribed

// subject is the difference between the commands for the kinds of subscriptions.
type subject struct {
	kind   commands.Subject
	prefix string // of the words in confirmations: "psubscribe"
}

var (
	channels = subject{commands.Channel, ""}
	patterns = subject{commands.Pattern, "p"}
	shards   = subject{commands.Shard, "s"}
)

// costOfNames is the [commands.Cost] of these commands: so much for each name, or for each subscription.
func costOfNames(c *commands.Call) int {
	names := len(c.Args) - 1
	if names == 0 {
		names = c.Conn.Subs.Total()
	}
	return commands.SubscriptionSteps * names
}

// errInMulti is the error of EXEC for SSUBSCRIBE. Redis has it for SUBSCRIBE in scripts only.
const errInMulti commands.Error = "ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client"

func subscribe(c *commands.Call, s subject) error {
	if s.kind == commands.Shard && c.Conn.Transaction.Running {
		return errInMulti
	}
	for _, arg := range c.Args[1:] {
		name := string(arg)
		c.Server.PubSub.Subscribe(c.Conn, s.kind, name)
		confirm(c, s, "subscribe", &name)
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
	for _, name := range names {
		c.Server.PubSub.Unsubscribe(c.Conn, s.kind, name)
		confirm(c, s, "unsubscribe", &name)
	}
	if names == nil {
		confirm(c, s, "unsubscribe", nil)
	}
	return nil
}

// confirm sends the confirmation of a subscription or of its end, with the number of
// subscriptions that are left. A nil name means that there was no subscription to end. A confirmation is a
// message, not a reply: CLIENT REPLY does not remove it.
func confirm(c *commands.Call, s subject, word string, name *string) {
	w, message := c.Out, resp.Writer{Proto: c.Out.Proto}
	dropped := c.Conn.Modes.Reply != commands.ReplyOn
	if dropped {
		w = &message
	}
	w.Push(3)
	w.BulkString(s.prefix + word)
	if name != nil {
		w.BulkString(*name)
	} else {
		w.Null()
	}
	w.Int(int64(c.Conn.Subs.Count(s.kind)))
	if dropped {
		c.Conn.Push(c.Conn, message.Bytes())
	}
}
