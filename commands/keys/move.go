package keys

import "cellserver/commands"

// MOVE key db moves a key with its expiry to another database. It replies 1, or 0 if it moves
// nothing: the key is absent, or the other database has a key with this name.
var _ = commands.Register(&commands.Command{
	Name: "move", Arity: 3, Flags: commands.Write | commands.Fast, Keys: commands.UpdatedKey,
	Group: commands.GroupGeneric, Run: move,
})

const errMoveInCluster commands.Error = "ERR MOVE is not allowed in cluster mode"

func move(c *commands.Call) error {
	if c.HasSlots() {
		return errMoveInCluster
	}
	db, err := c.Database(2)
	if err != nil {
		return err
	}
	if db == c.Tx.DB() {
		return commands.ErrSameObject
	}
	key := c.Args[1]
	e := c.Tx.Write(key)
	moved := e.Move(db)
	if moved {
		c.Notify(commands.GenericEvents, "move_from", key)
		c.NotifyIn(db, commands.GenericEvents, "move_to", key)
	}
	c.ReplyBit(moved)
	return nil
}
