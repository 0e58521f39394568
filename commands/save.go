package commands

// SAVE writes a snapshot and replies once it is on disk. Unlike Redis's it stops no other
// client.
var _ = register(&Command{
	Name: "save", Arity: 1, Flags: Admin | NoScript | NoMulti | NoAsyncLoading, Group: ServerGroup, Since: "1.0.0",
	Summary: "Synchronously save the dataset to disk", Complexity: "O(N) where N is the total number of keys in all databases",
	Run: save,
})

const (
	errSaving     Error = "ERR Background save already in progress"
	errBlank      Error = "ERR"
	errOtherChild Error = "ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to " +
		"schedule a BGSAVE whenever possible."
)

func save(c *Call) error {
	p := c.Server.persistence
	if p.Writing() == "rdb" {
		return errSaving
	}
	if p.Save() != nil {
		return errBlank
	}
	return replyOK(c)
}
