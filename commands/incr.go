package commands

import "math"

// INCR, DECR, INCRBY and DECRBY add to the integer at a key, 0 when it is absent, and
// reply with the sum. The key keeps its expiry.
var (
	_ = register(&Command{
		Name: "incr", Arity: 2, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: String, Since: "1.0.0",
		Summary: "Increment the integer value of a key by one",
		Usage:   "key", Complexity: "O(1)",
		Run: func(c *Call) error { return c.add(1) },
	})
	_ = register(&Command{
		Name: "decr", Arity: 2, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: String, Since: "1.0.0",
		Summary: "Decrement the integer value of a key by one",
		Usage:   "key", Complexity: "O(1)",
		Run: func(c *Call) error { return c.add(-1) },
	})
	_ = register(&Command{
		Name: "incrby", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: String, Since: "1.0.0",
		Summary: "Increment the integer value of a key by the given amount",
		Usage:   "key increment", Complexity: "O(1)", Run: incrby,
	})
	_ = register(&Command{
		Name: "decrby", Arity: 3, Flags: Write | DenyOOM | Fast, Keys: updatedKey, Group: String, Since: "1.0.0",
		Summary: "Decrement the integer value of a key by the given number",
		Usage:   "key decrement", Complexity: "O(1)", Run: decrby,
	})
)

const errOverflow Error = "ERR increment or decrement would overflow"

func incrby(c *Call) error {
	n, err := c.Int(2)
	if err != nil {
		return err
	}
	return c.add(n)
}

func decrby(c *Call) error {
	n, err := c.Int(2)
	if err != nil {
		return err
	}
	if n == math.MinInt64 {
		return Error("ERR decrement would overflow")
	}
	return c.add(-n)
}

func (c *Call) add(n int64) error {
	e := c.Tx.Write(c.Args[1])
	old, err := integer(&e)
	if err != nil {
		return err
	}
	sum := old + n
	if (sum > old) != (n > 0) && n != 0 {
		return errOverflow
	}
	e.SetInt(sum, e.ExpireAt())
	c.Out.Int(sum)
	return nil
}
