package strings

import "cellserver/commands"

// GETRANGE key start end replies with the bytes start to end of a string, both included. Negative
// positions count from the end of the string. SUBSTR is the old name.
var (
	_ = commands.Register(&commands.Command{
		Name: "getrange", Arity: 4, Flags: commands.ReadOnly, Keys: commands.OneKey,
		Group: commands.GroupString, Run: getrange, Cost: costOfGetrange,
	})
	_ = commands.Register(&commands.Command{
		Name: "substr", Arity: 4, Flags: commands.ReadOnly, Keys: commands.OneKey,
		Group: commands.GroupString, Run: getrange, Cost: costOfGetrange,
	})
)

func costOfGetrange(c *commands.Call) int {
	all := commands.CostOfValue(c)
	if all <= commands.MaxSteps {
		return all
	}
	start, end, _ := commands.TwoInts(c.Args[2], c.Args[3])
	e := c.Tx.Peek(c.Args[1])
	return commands.StepsOfBytes(len(substring(e.Bytes(nil), start, end)))
}

func getrange(c *commands.Call) error {
	start, end, err := commands.TwoInts(c.Args[2], c.Args[3])
	if err != nil {
		return err
	}
	e := c.Tx.Read(c.Args[1])
	if err := commands.CheckString(&e); err != nil {
		return err
	}
	var digits [20]byte
	c.Out.Bulk(substring(e.Bytes(digits[:0]), start, end))
	return nil
}

// substring returns the bytes start to end of s, both included. Negative positions count from the
// end.
func substring(s []byte, start, end int64) []byte {
	n := int64(len(s))
	if start < 0 && end < 0 && start > end {
		return nil
	}
	if start < 0 {
		start = max(start+n, 0)
	}
	if end < 0 {
		end = max(end+n, 0)
	}
	end = min(end, n-1)
	if start > end {
		return nil
	}
	return s[start : end+1]
}
