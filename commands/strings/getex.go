package strings

import (
	"cellserver/commands"
	"cellserver/store"
)

// GETEX key replies with the string of a key, or null, and sets the expiry of the key or removes it
// with PERSIST. A time of EXAT or PXAT in the past deletes the key.
var _ = commands.Register(&commands.Command{
	Name: "getex", Arity: -2, Flags: commands.Write | commands.Fast, Keys: commands.UpdatedKey,
	Group: commands.GroupString, Run: getex, Cost: commands.CostOfValue,
})

func getex(c *commands.Call) error {
	x, persist, err := parseGetex(c.Args)
	if err != nil {
		return err
	}
	e := c.Tx.Read(c.Args[1])
	if err := replyString(c, &e); err != nil || !e.Exists() {
		return err
	}
	at, err := x.At(c) // after the type check, as in Redis: for an absent key every time is valid
	switch {
	case err != nil:
		return err
	case at != store.NoExpiry && x.Option.Absolute && c.IsPast(at):
		e.Delete()
		c.Notify(commands.GenericEvents, "del", c.Args[1])
	case at != store.NoExpiry:
		e.SetExpiry(at)
		c.Notify(commands.GenericEvents, "expire", c.Args[1])
	case persist && e.ExpireAt() != store.NoExpiry:
		e.SetExpiry(store.NoExpiry)
		c.Notify(commands.GenericEvents, "persist", c.Args[1])
	}
	return nil
}

func parseGetex(args [][]byte) (x commands.Expiry, persist bool, err error) {
	for i := 2; i < len(args); i++ {
		switch {
		case commands.Is(args[i], "persist") && x.Option == nil:
			persist = true
		case !persist && x.Take(args, i):
			i++
		default:
			return x, false, commands.ErrSyntax
		}
	}
	return x, persist, nil
}
