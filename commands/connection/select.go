package connection

import "cellserver/commands"

// SELECT index selects the database for all later commands of the connection.
var _ = commands.Register(&commands.Command{
	Name: "select", Arity: 2, Flags: commands.Loading | commands.Stale | commands.Fast,
	Group: commands.GroupConnection, Run: selectDB,
})

const errSelectInCluster commands.Error = "ERR SELECT is not allowed in cluster mode"

func selectDB(c *commands.Call) error {
	n, err := c.Int32(1)
	switch {
	case err != nil:
		return err
	case n != 0 && c.HasSlots():
		return errSelectInCluster
	case !c.HasDatabase(n):
		return commands.ErrDBRange
	}
	c.Conn.DB = n
	return commands.ReplyOK(c)
}
