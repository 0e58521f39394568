package commands

// PING [message] replies PONG, or the message.
var _ = register(&Command{
	Name: "ping", Arity: -1, Flags: Fast, Group: Connection, Tips: []string{"request_policy:all_shards", "response_policy:all_succeeded"}, Since: "1.0.0",
	Summary: "Ping the server", Usage: "[message]", Complexity: "O(1)", Run: ping,
})

func ping(c *Call) error {
	switch len(c.Args) {
	case 1:
		c.Out.Simple("PONG")
	case 2:
		c.Out.Bulk(c.Args[1])
	default:
		return wrongArity("ping")
	}
	return nil
}
