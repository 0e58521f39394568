package connection

import "cellserver/commands"

// CLIENT shows and controls connections. The subcommands are in the files client_….go.
var _ = commands.Register(&commands.Command{
	Name: "client", Arity: -2, Group: commands.GroupConnection, Categories: []string{},
	Subs: []*commands.Command{
		clientCaching, clientGetRedir, clientGetName, clientID, clientInfo, clientKill, clientList, clientUnpause,
		clientPause, clientReply, clientSetName, clientSetInfo, clientUnblock, clientTracking, clientTrackingInfo,
		clientNoEvict, clientNoTouch, commands.HelpCommand(),
	},
})
