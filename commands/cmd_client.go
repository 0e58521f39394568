package commands

// CLIENT looks after connections: the caller's own and all others. Each subcommand
// stands in a client_….go file of its own or of its family.
var _ = register(&Command{
	Name: "client", Arity: -2, Group: Connection, Categories: []string{}, Since: "2.4.0",
	Summary: "A container for client connection commands", Usage: "subcommand", Complexity: "Depends on subcommand.",
	Subs: []*Command{
		clientCaching, clientGetRedir, clientGetName, clientID, clientInfo, clientKill, clientList, clientUnpause,
		clientPause, clientReply, clientSetName, clientSetInfo, clientUnblock, clientTracking, clientTrackingInfo,
		clientNoEvict, clientNoTouch, helpCommand("5.0.0"),
	},
})
