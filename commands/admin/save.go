package admin

import "cellserver/commands"

// SAVE writes a snapshot and replies when it is on disk. Unlike in Redis, other clients continue.
var _ = commands.Register(&commands.Command{
	Name: "save", Arity: 1,
	Flags: commands.Admin | commands.NoScript | commands.NoMulti | commands.NoAsyncLoading,
	Group: commands.GroupServer, Run: save,
})

const (
	errSaving     commands.Error = "ERR Background save already in progress"
	errBlank      commands.Error = "ERR"
	errOtherChild commands.Error = "ERR Another child process is active (AOF?): can't BGSAVE right " +
		"now. Use BGSAVE SCHEDULE in order to " +
		"schedule a BGSAVE whenever possible."
)

func save(c *commands.Call) error {
	p := c.Server.Disk
	switch {
	case c.Server.Scripts.Busy(c):
		return commands.ErrBusy
	case p.Writing() == "rdb":
		return errSaving
	}
	switch err := p.Save(); {
	case err == commands.ErrClusterSnapshot:
		return err
	case err != nil:
		return errBlank
	}
	return commands.ReplyOK(c)
}
