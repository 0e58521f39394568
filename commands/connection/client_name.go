package connection

import "cellserver/commands"

// CLIENT ID, GETNAME, SETNAME and SETINFO identify a connection.
var (
	clientID = &commands.Command{
		Name: "id", Arity: 2, Flags: commands.ConnectionFlags,
		Run: func(c *commands.Call) error {
			c.Out.Int(c.Conn.ID)
			return nil
		},
	}
	clientGetName = &commands.Command{
		Name: "getname", Arity: 2, Flags: commands.ConnectionFlags,
		Run: func(c *commands.Call) error {
			if c.Conn.Identity.Name == "" {
				c.Out.Null()
				return nil
			}
			c.Out.BulkString(c.Conn.Identity.Name)
			return nil
		},
	}
	clientSetName = &commands.Command{
		Name: "setname", Arity: 3, Flags: commands.ConnectionFlags,
		Run: func(c *commands.Call) error {
			if !commands.ValidName(c.Args[2]) {
				return errClientBadName
			}
			c.Conn.Identity.Name = string(c.Args[2])
			return commands.ReplyOK(c)
		},
	}
	// Redis has SETINFO since version 7.2. Every client library sends it.
	clientSetInfo = &commands.Command{
		Name: "setinfo", Arity: 4, Flags: commands.ConnectionFlags, Run: setInfo,
	}
)

const errClientBadName commands.Error = "ERR Client names cannot contain spaces, newlines or special characters."

func setInfo(c *commands.Call) error {
	option, value := c.Args[2], c.Args[3]
	var to *string
	switch {
	case commands.Is(option, "lib-name"):
		to = &c.Conn.Identity.Library
	case commands.Is(option, "lib-ver"):
		to = &c.Conn.Identity.LibraryVersion
	default:
		return commands.Error("ERR Unrecognized option '" + commands.Clip(option, len(option)) + "'")
	}
	if !commands.ValidName(value) {
		return commands.Error("ERR " + string(option) + " cannot contain spaces, newlines or special characters.")
	}
	*to = string(value)
	return commands.ReplyOK(c)
}
