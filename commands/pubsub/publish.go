package pubsub

import "cellserver/commands"

// PUBLISH channel message sends a message to the subscribers of a channel, on every node of a
// cluster. It replies with the number of deliveries on this node.
//
// SPUBLISH shardchannel message does the same for the subscribers of SSUBSCRIBE.
var (
	_ = commands.Register(&commands.Command{
		Name: "publish", Arity: 3, Channels: commands.FirstChannel, Flags: publishFlags,
		Group: commands.GroupPubSub,
		Run:   func(c *commands.Call) error { return publish(c, commands.Channel) },
		Cost:  func(c *commands.Call) int { return c.Server.PubSub.Steps(commands.Channel, c.Args[1], c.Args[2]) },
	})
	_ = commands.Register(&commands.Command{
		Name: "spublish", Arity: 3, Channels: commands.FirstShard, Flags: publishFlags,
		Group: commands.GroupPubSub,
		Run:   func(c *commands.Call) error { return publish(c, commands.Shard) },
		Cost:  func(c *commands.Call) int { return c.Server.PubSub.Steps(commands.Shard, c.Args[1], c.Args[2]) },
	})
)

const publishFlags = commands.PubSub | commands.Loading | commands.Stale | commands.Fast |
	commands.MayReplicate

func publish(c *commands.Call, kind commands.Subject) error {
	c.Out.Int(int64(c.Server.PubSub.Publish(c.Conn, kind, c.Args[1], c.Args[2])))
	if t := c.Server.Control.Topology(); t != nil {
		t.Publish(kind == commands.Shard, c.Args[1], c.Args[2])
	}
	return nil
}
