package connection

import (
	"cellserver/acl"
	"cellserver/commands"
)

// CLIENT KILL closes connections: the connection from one address (the old form), or every
// connection that passes all filters.
var clientKill = &commands.Command{Name: "kill", Arity: -3, Flags: commands.AdminFlags, Run: kill}

// killFilter selects the clients to close. The zero value of a field selects all clients.
type killFilter struct {
	id                int64
	addr, laddr, kind string
	user              *acl.User // by its name: who has not authenticated is the default user, too
	skip              int64     // id of the client to leave open; 0 for none
}

func (f *killFilter) matches(c *commands.ClientInfo) bool {
	return (f.id == 0 || c.ID == f.id) && (f.addr == "" || c.Addr == f.addr) && (f.laddr == "" || c.Laddr == f.laddr) &&
		(f.kind == "" || c.Kind == f.kind) &&
		(f.user == nil || c.Identity.User.Name() == f.user.Name()) && c.ID != f.skip
}

func kill(c *commands.Call) error {
	if len(c.Args) == 3 {
		addr := string(c.Args[2])
		if addr == "" || c.Server.Clients.Kill(c.Conn, (&killFilter{addr: addr}).matches) == 0 {
			return commands.Error("ERR No such client")
		}
		return commands.ReplyOK(c)
	}
	filter, err := killOptions(c)
	if err != nil {
		return err
	}
	c.Out.Int(int64(c.Server.Clients.Kill(c.Conn, filter.matches)))
	return nil
}

func killOptions(c *commands.Call) (f killFilter, err error) {
	f.skip = c.Conn.ID
	args := c.Args[2:]
	for ; len(args) > 1 && err == nil; args = args[2:] {
		value := args[1]
		switch {
		case commands.Is(args[0], "id"):
			f.id, err = clientIDFilter(value)
		case commands.Is(args[0], "type"):
			f.kind, err = clientType(value)
		case commands.Is(args[0], "addr"):
			f.addr = string(value)
		case commands.Is(args[0], "laddr"):
			f.laddr = string(value)
		case commands.Is(args[0], "user"):
			f.user, err = userNamed(c, value)
		case commands.Is(args[0], "skipme") && commands.Is(value, "yes"):
			f.skip = c.Conn.ID
		case commands.Is(args[0], "skipme") && commands.Is(value, "no"):
			f.skip = 0
		default:
			err = commands.ErrSyntax
		}
	}
	if err == nil && len(args) > 0 {
		err = commands.ErrSyntax
	}
	return f, err
}

func clientIDFilter(arg []byte) (int64, error) {
	id, ok := commands.ParseInt(arg)
	if !ok || id < 1 {
		return 0, commands.Error("ERR client-id should be greater than 0")
	}
	return id, nil
}

func userNamed(c *commands.Call, name []byte) (*acl.User, error) {
	user := c.Server.Users.Find(string(name))
	if user == nil {
		return nil, commands.Error("ERR No such user '" + commands.Clip(name, len(name)) + "'")
	}
	return user, nil
}
