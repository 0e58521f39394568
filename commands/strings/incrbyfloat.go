package strings

import (
	"math/big"

	"cellserver/commands"
	"cellserver/internal/longdouble"
	"cellserver/store"
)

// INCRBYFLOAT key increment adds to the number of a key and replies with the sum. An absent key is
// 0. The key keeps its expiry.
var _ = commands.Register(&commands.Command{
	Name: "incrbyfloat", Arity: 3, Flags: commands.Write | commands.DenyOOM | commands.Fast,
	Keys: commands.UpdatedKey, Group: commands.GroupString, Run: incrbyfloat,
})

const errNaNOrInf commands.Error = "ERR increment would produce NaN or Infinity"

func incrbyfloat(c *commands.Call) error {
	e := c.Tx.Write(c.Args[1])
	if err := commands.CheckString(&e); err != nil {
		return err
	}
	old, ok := longDouble(&e)
	if !ok {
		return commands.ErrNotFloat
	}
	n, ok := longdouble.Parse(c.Args[2])
	if !ok {
		return commands.ErrNotFloat
	}
	sum, ok := longdouble.Add(old, n)
	if !ok {
		return errNaNOrInf
	}
	text := longdouble.Format(sum)
	e.SetBytes(text, e.ExpireAt())
	c.Notify(commands.StringEvents, "incrbyfloat", c.Args[1])
	c.Out.Bulk(text)
	return nil
}

// longDouble returns the number of a string entry, 0 for an absent entry. It returns false if the
// string is not a number.
func longDouble(e *store.Entry) (*big.Float, bool) {
	if !e.Exists() {
		return longdouble.New(), true
	}
	var digits [20]byte
	return longdouble.Parse(e.Bytes(digits[:0]))
}
