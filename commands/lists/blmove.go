package lists

import (
	"bytes"

	"cellserver/commands"
	"cellserver/store"
)

// BLMOVE source destination <LEFT | RIGHT> <LEFT | RIGHT> timeout is LMOVE that waits for source, at most
// timeout seconds, and for ever if it is 0. BRPOPLPUSH source destination timeout is BLMOVE with RIGHT
// LEFT.
var (
	_ = commands.Register(&commands.Command{
		Name: "blmove", Arity: 6, Flags: blockingFlags | commands.DenyOOM, Keys: moveKeys,
		Group: commands.GroupList, Run: blmove,
	})
	_ = commands.Register(&commands.Command{
		Name: "brpoplpush", Arity: 4, Flags: blockingFlags | commands.DenyOOM, Keys: moveKeys,
		Group: commands.GroupList, Run: func(c *commands.Call) error { return moveOrWait(c, last, first) },
	})
)

func blmove(c *commands.Call) error {
	from, to, err := moveEnds(c)
	if err != nil {
		return err
	}
	return moveOrWait(c, from, to)
}

func moveOrWait(c *commands.Call, from, to *end) error {
	until, err := commands.WaitUntil(c.Args[len(c.Args)-1], c.Now)
	if err != nil {
		return err
	}
	source, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	if source.Exists() {
		return move(c, from, to)
	}
	words := make([][]byte, len(c.Args))
	for i, arg := range c.Args {
		words[i] = bytes.Clone(arg)
	}
	return c.AwaitKeys(commands.KeyWait{
		Keys: c.Args[1:2], Kind: store.List, Until: until, Words: func([]byte) [][]byte { return words },
	}, c.Out.Null)
}
