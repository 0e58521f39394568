package pubsub

import "cellserver/commands"

// PUBLISH channel message sends a message to the subscribers of a channel, on every node of a
// cluster. It replies with the number of deliveries on this node.
var _ = commands.Register(&commands.Command{
	Name: "publish", Arity: 3, Channels: commands.FirstChannel, Flags: commands.PubSub | commands.Loading | commands.Stale | commands.Fast | commands.MayReplicate, Group: commands.GroupPubSub, Since: "2.0.0",
	Summary: "Post a message to a channel", Usage: "channel message",
	Complexity: "O(N+M) where N is the number of clients subscribed to the receiving channel and M is " +
		"the total number of " +
		"subscribed patterns (by any client).",
	Run: publish,
})

func publish(c *commands.Call) error {
	c.Out.Int(int64(c.Server.PubSub.Publish(c.Conn, c.Args[1], c.Args[2])))
	if t := c.Server.Control.Topology(); t != nil {
		t.Publish(c.Args[1], c.Args[2])
	}
	return nil
}
