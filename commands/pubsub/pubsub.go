package pubsub

import (
	"slices"

	"cellserver/commands"
	"cellserver/internal/glob"
)

// PUBSUB shows channels, patterns and their numbers of subscribers.
var _ = commands.Register(&commands.Command{
	Name: "pubsub", Arity: -2, Group: commands.GroupPubSub,
	Subs: []*commands.Command{
		{
			Name: "channels", Arity: -2, Flags: commands.PubSub | commands.Loading | commands.Stale,
			Run:  func(c *commands.Call) error { return activeChannels(c, commands.Channel) },
			Cost: commands.AlwaysLong, // it sorts all channels
		},
		{
			Name: "numpat", Arity: 2, Flags: commands.PubSub | commands.Loading | commands.Stale,
			Run: func(c *commands.Call) error {
				c.Out.Int(int64(c.Server.PubSub.Patterns()))
				return nil
			},
		},
		{
			Name: "numsub", Arity: -2, Flags: commands.PubSub | commands.Loading | commands.Stale,
			Run: func(c *commands.Call) error { return subscribers(c, commands.Channel) },
		},
		{
			Name: "shardchannels", Arity: -2, Flags: commands.PubSub | commands.Loading | commands.Stale,
			Run:  func(c *commands.Call) error { return activeChannels(c, commands.Shard) },
			Cost: commands.AlwaysLong, // it sorts all channels
		},
		{
			Name: "shardnumsub", Arity: -2, Flags: commands.PubSub | commands.Loading | commands.Stale,
			Run: func(c *commands.Call) error { return subscribers(c, commands.Shard) },
		},
		commands.HelpCommand(),
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
