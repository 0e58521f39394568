package sets

import (
	"bytes"

	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/set"
)

// SPOP key [count] removes random members and replies with them. Without a count it is one member, or null.
var _ = commands.Register(&commands.Command{
	Name: "spop", Arity: -2, Flags: commands.Write | commands.Fast,
	Keys: commands.OneKey.With("RW ACCESS DELETE"), Group: commands.GroupSet,
	Tips: commands.NondeterministicOutput, Run: spop, Cost: costOfSpop,
})

func spop(c *commands.Call) error {
	if len(c.Args) > 3 {
		return commands.ErrSyntax
	}
	count := int64(1)
	if len(c.Args) == 3 {
		var ok bool
		if count, ok = commands.ParseInt(c.Args[2]); !ok || count < 0 {
			return commands.ErrNotPositive
		}
	}
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	n := e.Set().Len()
	take := int(min(count, int64(n)))
	popped := pop(c, &e, take, n)
	if len(c.Args) == 3 {
		c.Out.Set(take)
	} else if take == 0 {
		c.Out.Null()
	}
	for _, member := range popped {
		c.Out.Bulk(member)
	}
	return nil
}

func costOfSpop(c *commands.Call) int {
	count := 1
	if len(c.Args) == 3 {
		n, _ := commands.ParseInt(c.Args[2])
		count = int(n)
	}
	e := c.Tx.Peek(c.Args[1])
	return commands.StepsOfSome(&e, min(max(count, 0), e.Set().Len()), changeSteps(&e))
}

// pop removes take of n members and returns them.
func pop(c *commands.Call, e *store.Entry, take, n int) [][]byte {
	if take == 0 {
		return nil
	}
	popped := choose(c, e.Set(), take, n)
	if take == n {
		e.Delete()
	} else {
		for _, member := range popped {
			removeMember(e, member)
		}
	}
	c.NotifyRemoval(commands.SetEvents, "spop", e)
	return popped
}

// choose returns copies of take random members of n.
func choose(c *commands.Call, s set.Set, take, n int) (chosen [][]byte) {
	if take == n {
		s.Each(func(member []byte) bool {
			chosen = append(chosen, bytes.Clone(member))
			return true
		})
		return chosen
	}
	var room set.Room
	c.Distinct(take, n, func(rank int) { chosen = append(chosen, bytes.Clone(s.At(rank, &room))) })
	return chosen
}
