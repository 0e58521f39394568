package commands

import (
	"maps"
	"slices"
)

// SUBSCRIBE and PSUBSCRIBE listen to channels and to patterns of channels; UNSUBSCRIBE
// and PUNSUBSCRIBE end that, for all of them when none is named. Each channel is
// confirmed by a message of its own.
var (
	_ = register(&Command{
		Name: "subscribe", Arity: -2, Flags: subscribeFlags, Group: PubSubGroup, Since: "2.0.0",
		Summary: "Listen for messages published to the given channels", Usage: "channel [channel ...]",
		Complexity: "O(N) where N is the number of channels to subscribe to.",
		Run:        func(c *Call) error { return c.subscribe(channelKind) },
	})
	_ = register(&Command{
		Name: "psubscribe", Arity: -2, Flags: subscribeFlags, Group: PubSubGroup, Since: "2.0.0",
		Summary: "Listen for messages published to channels matching the given patterns", Usage: "pattern [pattern ...]",
		Complexity: "O(N) where N is the number of patterns the client is already subscribed to.",
		Run:        func(c *Call) error { return c.subscribe(patternKind) },
	})
	_ = register(&Command{
		Name: "unsubscribe", Arity: -1, Flags: subscribeFlags, Group: PubSubGroup, Since: "2.0.0",
		Summary: "Stop listening for messages posted to the given channels", Usage: "[channel [channel ...]]",
		Complexity: "O(N) where N is the number of clients already subscribed to a channel.",
		Run:        func(c *Call) error { return c.unsubscribe(channelKind) },
	})
	_ = register(&Command{
		Name: "punsubscribe", Arity: -1, Flags: subscribeFlags, Group: PubSubGroup, Since: "2.0.0",
		Summary: "Stop listening for messages posted to channels matching the given patterns", Usage: "[pattern [pattern ...]]",
		Complexity: "O(N+M) where N is the number of patterns the client is already subscribed and M is the number of total patterns " +
			"subscribed in the system (by any client).",
		Run: func(c *Call) error { return c.unsubscribe(patternKind) },
	})
)

const subscribeFlags = PubSub | connectionFlags | whileSubscribed

// subscriptionKind is what channels and patterns differ by.
type subscriptionKind struct {
	prefix      string // of the words in confirmations
	of          func(s *subscriptions) *map[string]struct{}
	add, remove func(p *pubsub, c *Client, name string)
}

var (
	channelKind = &subscriptionKind{
		of:  func(s *subscriptions) *map[string]struct{} { return &s.channels },
		add: (*pubsub).addChannel, remove: (*pubsub).removeChannel,
	}
	patternKind = &subscriptionKind{
		prefix: "p", of: func(s *subscriptions) *map[string]struct{} { return &s.patterns },
		add: (*pubsub).addPattern, remove: (*pubsub).removePattern,
	}
)

func (c *Call) subscribe(kind *subscriptionKind) error {
	subs := &c.Client.subs
	names := kind.of(subs)
	if *names == nil {
		*names = map[string]struct{}{}
	}
	for _, arg := range c.Args[1:] {
		name := string(arg)
		if _, already := (*names)[name]; !already {
			(*names)[name] = struct{}{}
			subs.total.Add(1)
			subs.bytes += len(name) + subscribedBytes
			kind.add(&c.Server.pubsub, c.Client, name)
		}
		c.confirm(kind.prefix+"subscribe", name)
	}
	if !c.Client.mayHold("subscriptions", subs.bytes) {
		return closeConnection
	}
	return nil
}

func (c *Call) unsubscribe(kind *subscriptionKind) error {
	subs := &c.Client.subs
	names := *kind.of(subs)
	var leave []string
	for _, arg := range c.Args[1:] {
		leave = append(leave, string(arg))
	}
	if leave == nil {
		leave = slices.Sorted(maps.Keys(names))
	}
	word := kind.prefix + "unsubscribe"
	for _, name := range leave {
		if _, subscribed := names[name]; subscribed {
			delete(names, name)
			subs.total.Add(-1)
			subs.bytes -= len(name) + subscribedBytes
			kind.remove(&c.Server.pubsub, c.Client, name)
		}
		c.confirm(word, name)
	}
	if leave == nil {
		c.Out.Push(3)
		c.Out.BulkString(word)
		c.Out.Null()
		c.Out.Int(subs.total.Load())
	}
	return nil
}

// confirm says what the client listens to or no longer, and to how much altogether.
func (c *Call) confirm(word, name string) {
	c.Out.Push(3)
	c.Out.BulkString(word)
	c.Out.BulkString(name)
	c.Out.Int(c.Client.subs.total.Load())
}

// onlySubscribing is the answer to other commands of a RESP2 client that is subscribed:
// their replies could not be told from messages.
func onlySubscribing(cmd *Command) error {
	return Error("ERR Can't execute '" + cmd.FullName() + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context")
}
