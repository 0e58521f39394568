package sortedsets

import "cellserver/commands"

// ZREM key member [member …] removes members and replies with the number of removed members.
var _ = commands.Register(&commands.Command{
	Name: "zrem", Arity: -3, Flags: commands.Write | commands.Fast, Keys: removalKey,
	Group: commands.GroupSortedSet, Run: zrem, Cost: costOfChanges,
})

// removalKey is the key of a command that removes members and replies with none of their data.
var removalKey = commands.OneKey.With("RW DELETE")

func zrem(c *commands.Call) error {
	e := c.Tx.Write(c.Args[1])
	if err := commands.CheckSorted(&e); err != nil {
		return err
	}
	removed := 0
	for _, m := range c.Args[2:] {
		if e.ZRem(m) {
			removed++
		}
	}
	if removed > 0 {
		c.NotifyRemoval(commands.SortedEvents, "zrem", &e)
	}
	c.Out.Int(int64(removed))
	return nil
}
