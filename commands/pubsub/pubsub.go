package pubsub

import (
	"slices"

	"cellserver/commands"
	"cellserver/internal/glob"
)

// PUBSUB shows channels, patterns and their numbers of subscribers.
var _ = commands.Register(&commands.Command{
	Name: "pubsub", Arity: -2, Group: commands.GroupPubSub, Since: "2.8.0",
	Summary: "A container for Pub/Sub commands", Complexity: "Depends on subcommand.",
	Subs: []*commands.Command{
		{
			Name: "channels", Arity: -2, Flags: commands.PubSub | commands.Loading | commands.Stale,
			Since:   "2.8.0",
			Summary: "List active channels", Usage: "[pattern]",
			Complexity: "O(N) where N is the number of active channels, and assuming " +
				"constant time pattern matching " +
				"(relatively short channels and patterns)",
			Help: []string{"CHANNELS [<pattern>]", "    Return the currently active channels matching a <pattern> (default: '*')."},
			Run:  func(c *commands.Call) error { return activeChannels(c, commands.Channel) },
		},
		{
			Name: "numpat", Arity: 2, Flags: commands.PubSub | commands.Loading | commands.Stale,
			Since:   "2.8.0",
			Summary: "Get the count of unique patterns pattern subscriptions", Complexity: "O(1)",
			Help: []string{"NUMPAT", "    Return number of subscriptions to patterns."},
			Run: func(c *commands.Call) error {
				c.Out.Int(int64(c.Server.PubSub.Patterns()))
				return nil
			},
		},
		{
			Name: "numsub", Arity: -2, Flags: commands.PubSub | commands.Loading | commands.Stale,
			Since:   "2.8.0",
			Summary: "Get the count of subscribers for channels", Usage: "[channel [channel ...]]",
			Complexity: "O(N) for the NUMSUB subcommand, where N is the number of requested channels",
			Help: []string{"NUMSUB [<channel> ...]", "    Return the number of subscribers for the specified channels, excluding",
				"    pattern subscriptions(default: no channels)."},
			Run: func(c *commands.Call) error { return subscribers(c, commands.Channel) },
		},
		{
			Name: "shardchannels", Arity: -2, Flags: commands.PubSub | commands.Loading | commands.Stale,
			Since:   "7.0.0",
			Summary: "List active shard channels", Usage: "[pattern]",
			Complexity: "O(N) where N is the number of active shard channels, and assuming constant time " +
				"pattern matching (relatively short shard channels).",
			Help: []string{"SHARDCHANNELS [<pattern>]",
				"    Return the currently active shard level channels matching a <pattern> (default: '*')."},
			Run: func(c *commands.Call) error { return activeChannels(c, commands.Shard) },
		},
		{
			Name: "shardnumsub", Arity: -2, Flags: commands.PubSub | commands.Loading | commands.Stale,
			Since:   "7.0.0",
			Summary: "Get the count of subscribers for shard channels",
			Usage:   "[shardchannel [shardchannel ...]]",
			Complexity: "O(N) for the SHARDNUMSUB subcommand, where N is the number of requested " +
				"shard channels",
			Help: []string{"SHARDNUMSUB [<shardchannel> ...]",
				"    Return the number of subscribers for the specified shard level channel(s)"},
			Run: func(c *commands.Call) error { return subscribers(c, commands.Shard) },
		},
		commands.HelpCommand("6.2.0"),
	},
})

func activeChannels(c *commands.Call, kind commands.Subject) error {
	if len(c.Args) > 3 {
		return c.SubcommandSyntax()
	}
	channels := c.Server.PubSub.Channels(kind)
	if len(c.Args) == 3 {
		channels = slices.DeleteFunc(channels, func(name string) bool { return !glob.Match(c.Args[2], []byte(name)) })
	}
	commands.StringArray(c.Out, channels)
	return nil
}

func subscribers(c *commands.Call, kind commands.Subject) error {
	c.Out.Array(2 * len(c.Args[2:]))
	for _, channel := range c.Args[2:] {
		c.Out.Bulk(channel)
		c.Out.Int(int64(c.Server.PubSub.Subscribers(kind, channel)))
	}
	return nil
}
