package commands

// PUBLISH channel message sends a message to those who listen, and replies how often
// it was sent.
var _ = register(&Command{
	Name: "publish", Arity: 3, Flags: PubSub | Loading | Stale | Fast | MayReplicate, Group: PubSubGroup, Since: "2.0.0",
	Summary: "Post a message to a channel", Usage: "channel message",
	Complexity: "O(N+M) where N is the number of clients subscribed to the receiving channel and M is the total number of " +
		"subscribed patterns (by any client).",
	Run: func(c *Call) error {
		c.Out.Int(int64(c.Server.pubsub.publish(c.Client, c.Args[1], c.Args[2])))
		return nil
	},
})
