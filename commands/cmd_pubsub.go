package commands

import (
	"maps"
	"slices"
)

// PUBSUB says who listens to what.
var _ = register(&Command{
	Name: "pubsub", Arity: -2, Group: PubSubGroup, Since: "2.8.0",
	Summary: "A container for Pub/Sub commands", Usage: "subcommand", Complexity: "Depends on subcommand.",
	Subs: []*Command{
		{
			Name: "channels", Arity: -2, Flags: PubSub | Loading | Stale, Since: "2.8.0",
			Summary: "List active channels", Usage: "[pattern]",
			Complexity: "O(N) where N is the number of active channels, and assuming constant time pattern matching " +
				"(relatively short channels and patterns)",
			Help: []string{"CHANNELS [<pattern>]", "    Return the currently active channels matching a <pattern> (default: '*')."},
			Run:  pubsubChannels,
		},
		{
			Name: "numpat", Arity: 2, Flags: PubSub | Loading | Stale, Since: "2.8.0",
			Summary: "Get the count of unique patterns pattern subscriptions", Complexity: "O(1)",
			Help: []string{"NUMPAT", "    Return number of subscriptions to patterns."},
			Run: func(c *Call) error {
				p := &c.Server.pubsub
				p.mu.Lock()
				defer p.mu.Unlock()
				c.Out.Int(int64(len(p.patterns)))
				return nil
			},
		},
		{
			Name: "numsub", Arity: -2, Flags: PubSub | Loading | Stale, Since: "2.8.0",
			Summary: "Get the count of subscribers for channels", Usage: "[channel [channel ...]]",
			Complexity: "O(N) for the NUMSUB subcommand, where N is the number of requested channels",
			Help: []string{"NUMSUB [<channel> ...]", "    Return the number of subscribers for the specified channels, excluding",
				"    pattern subscriptions(default: no channels)."},
			Run: pubsubNumSub,
		},
		helpCommand("6.2.0"),
	},
})

func pubsubChannels(c *Call) error {
	if len(c.Args) > 3 {
		return c.subcommandSyntax()
	}
	p := &c.Server.pubsub
	p.mu.Lock()
	channels := slices.Sorted(maps.Keys(p.channels))
	p.mu.Unlock()
	if len(c.Args) == 3 {
		channels = slices.DeleteFunc(channels, func(name string) bool { return !glob(c.Args[2], []byte(name)) })
	}
	stringArray(c.Out, channels)
	return nil
}

func pubsubNumSub(c *Call) error {
	p := &c.Server.pubsub
	p.mu.Lock()
	defer p.mu.Unlock()
	c.Out.Array(2 * len(c.Args[2:]))
	for _, channel := range c.Args[2:] {
		c.Out.Bulk(channel)
		c.Out.Int(int64(len(p.channels[string(channel)])))
	}
	return nil
}
