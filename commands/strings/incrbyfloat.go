package strings

import (
	"math/big"

	"cellserver/commands"
	"cellserver/store"
)

// INCRBYFLOAT key increment adds to the number of a key and replies with the sum. An absent key is
// 0. The key keeps its expiry.
var _ = commands.Register(&commands.Command{
	Name: "incrbyfloat", Arity: 3, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.UpdatedKey, Group: commands.GroupString, Since: "2.6.0",
	Summary: "Increment the float value of a key by the given amount", Usage: "key increment",
	Complexity: "O(1)", Run: incrbyfloat,
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
	n, ok := parseLongDouble(c.Args[2])
	if !ok {
		return commands.ErrNotFloat
	}
	sum, ok := addLongDouble(old, n)
	if !ok {
		return errNaNOrInf
	}
	text := formatLongDouble(sum)
	e.SetBytes(text, e.ExpireAt())
	c.Out.Bulk(text)
	return nil
}

// longDouble returns the number of a string entry, 0 for an absent entry. It returns false if the
// string is not a number.
func longDouble(e *store.Entry) (*big.Float, bool) {
	if !e.Exists() {
		return newLongDouble(), true
	}
	var digits [20]byte
	return parseLongDouble(e.Bytes(digits[:0]))
}

// addLongDouble returns a+b, and false if the sum is infinite or NaN.
func addLongDouble(a, b *big.Float) (*big.Float, bool) {
	if a.IsInf() || b.IsInf() {
		return nil, false
	}
	sum := newLongDouble().Add(a, b)
	return sum, sum.MantExp(nil) <= longDoubleMaxExp
}
