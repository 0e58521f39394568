package connection

import (
	"slices"
	"strings"

	"cellserver/commands"
)

// CLIENT INFO and LIST show connections, one line each: "id=3 addr=127.0.0.1:49210 …".
//
// Source of the fields: https://redis.io/docs/latest/commands/client-list/
var (
	clientInfo = &commands.Command{
		Name: "info", Arity: 2, Flags: commands.ConnectionFlags, Tips: commands.NondeterministicOutput,
		Run: func(c *commands.Call) error {
			self := c.Server.Clients.Self(c)
			c.Out.Verbatim("txt", c.DescribeClient(&self))
			return nil
		},
	}
	clientList = &commands.Command{
		Name: "list", Arity: -2, Flags: commands.AdminFlags, Tips: commands.NondeterministicOutput,
		Run: listClients,
	}
)

func listClients(c *commands.Call) error {
	clients, err := selectClients(c)
	if err != nil {
		return err
	}
	var b strings.Builder
	for i := range clients {
		b.WriteString(c.DescribeClient(&clients[i]))
	}
	c.Out.Verbatim("txt", b.String())
	return nil
}

// selectClients returns the clients that the arguments of CLIENT LIST select.
func selectClients(c *commands.Call) ([]commands.ClientInfo, error) {
	args, all := c.Args[2:], c.Server.Clients.List(c)
	switch {
	case len(args) == 0:
		return all, nil
	case len(args) == 2 && commands.Is(args[0], "type"):
		kind, err := clientType(args[1])
		if err != nil {
			return nil, err
		}
		return slices.DeleteFunc(all, func(client commands.ClientInfo) bool { return client.Kind != kind }), nil
	case len(args) > 1 && commands.Is(args[0], "id"):
		var clients []commands.ClientInfo
		for _, arg := range args[1:] {
			id, ok := commands.ParseInt(arg)
			if !ok {
				return nil, commands.Error("ERR Invalid client ID")
			}
			if client, found := c.Server.Clients.Find(id); found {
				clients = append(clients, client)
			}
		}
		return clients, nil
	}
	return nil, commands.ErrSyntax
}

// clientType parses the type of a client. "slave" is the old name of a replica.
func clientType(arg []byte) (string, error) {
	switch name := strings.ToLower(string(arg)); name {
	case "normal", "master", "replica", "pubsub":
		return name, nil
	case "slave":
		return "replica", nil
	}
	return "", commands.Error("ERR Unknown client type '" + commands.Clip(arg, len(arg)) + "'")
}
