package lists

import (
	"bytes"

	"cellserver/commands"
	"cellserver/store"
)

// LMOVE source destination <LEFT | RIGHT> <LEFT | RIGHT> moves an element from an end of a list to an end of
// another one. Both may be the same list. It replies with the element, or null. RPOPLPUSH source destination
// is LMOVE with RIGHT LEFT.
var (
	_ = commands.Register(&commands.Command{
		Name: "lmove", Arity: 5, Flags: commands.Write | commands.DenyOOM, Keys: moveKeys,
		Group: commands.GroupList, Run: lmove,
	})
	_ = commands.Register(&commands.Command{
		Name: "rpoplpush", Arity: 3, Flags: commands.Write | commands.DenyOOM, Keys: moveKeys,
		Group: commands.GroupList, Run: func(c *commands.Call) error { return move(c, last, first) },
	})
)

var moveKeys = commands.TwoKeys.With("RW ACCESS DELETE; RW INSERT")

func lmove(c *commands.Call) error {
	from, to, err := moveEnds(c)
	if err != nil {
		return err
	}
	return move(c, from, to)
}

// moveEnds parses the ends of LMOVE and of BLMOVE.
func moveEnds(c *commands.Call) (from, to *end, err error) {
	if from, err = parseEnd(c.Args[3]); err != nil {
		return nil, nil, err
	}
	to, err = parseEnd(c.Args[4])
	return from, to, err
}

func move(c *commands.Call, from, to *end) error {
	source, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	if !source.Exists() {
		c.Out.Null()
		return nil
	}
	target, err := values.Write(c, c.Args[2])
	if err != nil {
		return err
	}
	var element []byte
	from.each(source.List(), 1, func(b []byte) bool {
		element = bytes.Clone(b)
		return true
	})
	// The element is there twice for a moment, so a list of one element that turns stays, with its expiry.
	// If both ends are the same, the list does not change. For clients that watch the key it does, as in
	// Redis.
	target.Change(to.push, store.Operands{Value: element})
	source.Change(from.pop, store.Operands{Int: 1})
	c.Notify(commands.ListEvents, to.pushed, c.Args[2])
	c.NotifyRemoval(commands.ListEvents, from.popped, &source)
	c.Out.Bulk(element)
	return nil
}
