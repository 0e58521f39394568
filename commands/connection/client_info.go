package connection

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cellserver/commands"
)

// CLIENT INFO and LIST show connections, one line each: "id=3 addr=127.0.0.1:49210 …".
//
// Source of the fields: https://redis.io/docs/latest/commands/client-list/
var (
	clientInfo = &commands.Command{
		Name: "info", Arity: 2, Flags: commands.ConnectionFlags, Since: "6.2.0",
		Summary: "Returns information about the current client connection.", Complexity: "O(1)", Tips: commands.NondeterministicOutput,
		Help: []string{"INFO", "    Return information about the current client connection."},
		Run: func(c *commands.Call) error {
			self := c.Server.Clients.Self(c)
			c.Out.Verbatim("txt", describe(c, &self))
			return nil
		},
	}
	clientList = &commands.Command{
		Name: "list", Arity: -2, Flags: commands.AdminFlags, Since: "2.4.0",
		Summary: "Get the list of client connections", Usage: "[TYPE <NORMAL | MASTER | REPLICA | PUBSUB>] [ID client-id [client-id ...]]",
		Complexity: "O(N) where N is the number of client connections", Tips: commands.NondeterministicOutput,
		Help: []string{"LIST [options ...]", "    Return information about client connections. Options:",
			"    * TYPE (NORMAL|MASTER|REPLICA|PUBSUB)", "      Return clients of specified type."},
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
		b.WriteString(describe(c, &clients[i]))
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

// describe returns the line of a client. Fields about buffers that only Redis has are 0. fd is -1,
// because only the transport knows the descriptor.
func describe(c *commands.Call, client *commands.ClientInfo) string {
	last := "NULL"
	if client.Last != nil {
		last = client.Last.FullName()
	}
	var request, args int
	if client.ID == c.Conn.ID {
		request, args = requestSize(c.Args)
	}
	return fmt.Sprintf("id=%d addr=%s laddr=%s fd=-1 name=%s age=%d idle=%d flags=%s db=%d sub=%d psub=%d ssub=0 multi=%d "+
		"qbuf=%d qbuf-free=0 argv-mem=%d multi-mem=%d rbs=0 rbp=0 obl=0 oll=0 omem=%d tot-mem=%d events=r cmd=%s user=default "+
		"redir=%d resp=%d lib-name=%s lib-ver=%s\n",
		client.ID, client.Addr, client.Laddr, client.Identity.Name, secondsSince(c, client.Created), secondsSince(c, client.Active),
		client.Flags, client.DB, client.Channels, client.Patterns, client.Queued, request, args, client.QueuedSize, client.Pending,
		client.Memory+client.QueuedSize+client.Pending, last, client.Redirect, client.Proto, client.Identity.Library, client.Identity.LibraryVersion)
}

// secondsSince returns the seconds of logical time since then. The logical clock may have gone
// back; the result is then 0.
func secondsSince(c *commands.Call, then int64) int64 { return max(0, c.Now/1e9-then/1e9) }

// requestSize returns the size of a command in bytes: on the wire, and of its arguments alone.
func requestSize(args [][]byte) (wire, own int) {
	wire = headerSize(len(args))
	for _, a := range args {
		own += len(a)
		wire += headerSize(len(a)) + len(a) + len("\r\n")
	}
	return wire, own
}

// headerSize is the length of a line such as "*2\r\n" in bytes.
func headerSize(n int) int { return len("*\r\n") + len(strconv.Itoa(n)) }
