package sortedsets

import "cellserver/commands"

// ZREMRANGEBYRANK key start stop removes the members of a range of ranks and replies with their
// number. ZREMRANGEBYSCORE and ZREMRANGEBYLEX do the same with a range of scores or of members.
var (
	_ = registerRemoval("zremrangebyrank", byRank)
	_ = registerRemoval("zremrangebyscore", byScore)
	_ = registerRemoval("zremrangebylex", byLex)
)

func registerRemoval(name string, parse parseInterval) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: 4, Flags: commands.Write, Keys: removalKey, Group: commands.GroupSortedSet,
		Run:  func(c *commands.Call) error { return zremrange(c, parse) },
		Cost: func(c *commands.Call) int { return costOfRemoval(c, parse) },
	})
}

func costOfRemoval(c *commands.Call, parse parseInterval) int {
	return costOfRange(c, c.Args[1], changeSteps, func() (interval, error) {
		return parse(c.Args[2], c.Args[3])
	})
}

func zremrange(c *commands.Call, parse parseInterval) error {
	ranks, err := parse(c.Args[2], c.Args[3])
	if err != nil {
		return err
	}
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	removed := e.ZRemRange(ranks(e.Sorted()))
	if removed > 0 {
		c.NotifyRemoval(commands.SortedEvents, c.Cmd.Name, &e)
	}
	c.Out.Int(int64(removed))
	return nil
}
