package sets

import (
	"bytes"

	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/set"
)

// SPOP key [count] removes random members and replies with them. Without a count it is one member, or null.
var _ = commands.Register(&commands.Command{
	Name: "spop", Arity: -2, Flags: commands.Write | commands.Fast | commands.Linear, Keys: commands.OneKey.With("RW ACCESS DELETE"), Group: commands.GroupSet, Since: "1.0.0",
	Summary: "Remove and return one or multiple random members from a set", Usage: "key [count]",
	Complexity: "Without the count argument O(1), otherwise O(N) where N is the value of the passed count.",
	Tips:       commands.NondeterministicOutput, Run: spop,
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
	e, err := writeSet(c, c.Args[1])
	if err != nil {
		return err
	}
	n := e.Set().Len()
	take := int(min(count, int64(n)))
	if err := takesChanges(c, &e, take); err != nil {
		return err
	}
	popped, err := pop(c, &e, take, n)
	if err != nil {
		return err
	}
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

// pop removes take of n members and returns them. The error is [commands.TakesLong].
func pop(c *commands.Call, e *store.Entry, take, n int) ([][]byte, error) {
	if take == 0 {
		return nil, nil
	}
	popped, err := choose(c, e.Set(), take, n)
	if err != nil {
		return nil, err
	}
	if take == n {
		e.Delete()
	} else {
		for _, member := range popped {
			removeMember(e, member)
		}
	}
	c.NotifyRemoval(commands.SetEvents, "spop", e)
	return popped, nil
}

// choose returns copies of take random members of n. The error is [commands.TakesLong].
func choose(c *commands.Call, s set.Set, take, n int) (chosen [][]byte, err error) {
	size := 0
	add := func(member []byte) bool {
		size += len(member)
		if err == nil {
			err = c.TakesBytes(size)
		}
		if err == nil {
			chosen = append(chosen, bytes.Clone(member))
		}
		return err == nil
	}
	if take == n {
		s.Each(add)
	} else {
		var room set.Room
		c.Distinct(take, n, func(rank int) { add(s.At(rank, &room)) })
	}
	return chosen, err
}
