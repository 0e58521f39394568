package connection

import "cellserver/commands"

// CLIENT NO-EVICT and NO-TOUCH are modes of one connection. This server evicts no clients, so
// NO-EVICT only shows in CLIENT LIST. With NO-TOUCH, reading a key does not count as an access.
var (
	clientNoEvict = &commands.Command{
		Name: "no-evict", Arity: 3, Flags: commands.AdminFlags,
		Run: func(c *commands.Call) error { return setMode(c, &c.Conn.Modes.NoEvict) },
	}
	// Redis has NO-TOUCH since version 7.2.
	clientNoTouch = &commands.Command{
		Name: "no-touch", Arity: 3, Flags: commands.ConnectionFlags,
		Run: func(c *commands.Call) error { return setMode(c, &c.Conn.Modes.NoTouch) },
	}
)

func setMode(c *commands.Call, mode *bool) error {
	on, err := c.OnOff(2)
	if err != nil {
		return err
	}
	*mode = on
	return commands.ReplyOK(c)
}
