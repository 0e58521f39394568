package sortedsets

import "cellserver/commands"

// ZRANGESTORE dst src min max [BYSCORE | BYLEX] [REV] [LIMIT offset count] replaces dst by a range
// of src. It replies with the number of members. If the range is empty, it deletes dst.
var _ = commands.Register(&commands.Command{
	Name: "zrangestore", Arity: -5, Flags: commands.Write | commands.DenyOOM,
	Keys: commands.TwoKeys.With("OW UPDATE; RO ACCESS"), Group: commands.GroupSortedSet, Run: zrangestore,
	Cost: costOfZrangestore,
})

func costOfZrangestore(c *commands.Call) int {
	o := zrangeOptions{store: true}
	return costOfRange(c, c.Args[2], changeSteps, func() (interval, error) { return o.parse(c.Args[3:]) })
}

func zrangestore(c *commands.Call) error {
	o := zrangeOptions{store: true}
	ranks, err := o.parse(c.Args[3:])
	if err != nil {
		return err
	}
	z, err := values.Read(c, c.Args[2])
	if err != nil {
		return err
	}
	lo, hi := ranks(z)
	return storeSorted(c, c.Args[1], collect(z, lo, hi, false))
}
