package admin

import "cellserver/commands"

// MONITOR streams every command of all clients, until RESET or the end of the connection. It shows
// no administrative commands and no passwords.
var _ = commands.Register(&commands.Command{
	Name: "monitor", Arity: 1, Flags: commands.AdminFlags, Group: commands.GroupServer, Run: monitor,
})

const errMonitorDenied commands.Error = "ERR MONITOR isn't allowed for DENY BLOCKING client"

// monitor sends no reply to a connection that is a monitor already. Redis does the same.
func monitor(c *commands.Call) error {
	switch {
	case c.Conn.Transaction.Running:
		return errMonitorDenied
	case c.Conn.Modes.Monitoring:
		return nil
	}
	c.Server.Monitors.Add(c.Conn)
	return commands.ReplyOK(c)
}
