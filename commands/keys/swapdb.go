package keys

import "cellserver/commands"

// SWAPDB index1 index2 exchanges two databases. Clients of either database see the keys of the
// other one at once.
var _ = commands.Register(&commands.Command{
	Name: "swapdb", Arity: 3, Flags: commands.Write | commands.Fast | commands.WholeKeyspace,
	Group: commands.GroupServer, Categories: []string{"keyspace", "dangerous"}, Run: swapdb,
})

const (
	errFirstDB  commands.Error = "ERR invalid first DB index"
	errSecondDB commands.Error = "ERR invalid second DB index"
)

const errSwapInCluster commands.Error = "ERR SWAPDB is not allowed in cluster mode"

func swapdb(c *commands.Call) error {
	if c.HasSlots() {
		return errSwapInCluster
	}
	a, err := c.Int32(1)
	if err != nil {
		return errFirstDB
	}
	b, err := c.Int32(2)
	if err != nil {
		return errSecondDB
	}
	if !c.HasDatabase(a) || !c.HasDatabase(b) {
		return commands.ErrDBRange
	}
	c.Tx.Swap(a, b)
	return commands.ReplyOK(c)
}
