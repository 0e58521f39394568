package lists

import (
	"cellserver/commands"
	"cellserver/store/list"
)

// LLEN key replies with the number of elements. LINDEX key index replies with the element of an index, or
// null. LRANGE key start stop replies with the elements from one index to another one. A negative index
// counts from behind: -1 is the last element.
var (
	_ = commands.Register(&commands.Command{
		Name: "llen", Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey.With("RO"),
		Group: commands.GroupList, Run: values.Len(),
	})
	_ = commands.Register(&commands.Command{
		Name: "lindex", Arity: 3, Flags: commands.ReadOnly, Keys: commands.OneKey,
		Group: commands.GroupList, Run: lindex, Cost: costOfLindex,
	})
	_ = commands.Register(&commands.Command{
		Name: "lrange", Arity: 4, Flags: commands.ReadOnly, Keys: commands.OneKey,
		Group: commands.GroupList, Run: lrange, Cost: costOfLrange,
	})
)

func lindex(c *commands.Call) error {
	l, err := values.Read(c, c.Args[1])
	if err != nil {
		return err
	}
	if l.Len() == 0 {
		c.Out.Null()
		return nil
	}
	i, err := c.Int(2)
	if err != nil {
		return err
	}
	number, ok := list.Index(i, l.Len())
	if !ok {
		c.Out.Null()
		return nil
	}
	var digits [20]byte
	c.Out.Bulk(l.At(number, digits[:0]))
	return nil
}

func costOfLindex(c *commands.Call) int {
	l := peekList(c, c.Args[1])
	i, _ := commands.ParseInt(c.Args[2])
	if number, ok := list.Index(i, l.Len()); ok {
		return stepsOfElements(l, number, number+1)
	}
	return 0
}

func costOfLrange(c *commands.Call) int {
	l := peekList(c, c.Args[1])
	start, stop, _ := commands.TwoInts(c.Args[2], c.Args[3])
	from, to := list.Span(start, stop, l.Len())
	return stepsOfElements(l, from, to)
}

func lrange(c *commands.Call) error {
	start, stop, err := commands.TwoInts(c.Args[2], c.Args[3])
	if err != nil {
		return err
	}
	l, err := values.Read(c, c.Args[1])
	if err != nil {
		return err
	}
	from, to := list.Span(start, stop, l.Len())
	c.Out.Array(to - from)
	l.Range(from, to, func(element []byte) bool {
		c.Out.Bulk(element)
		return !c.Out.Over()
	})
	return nil
}
