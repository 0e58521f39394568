package commands

// SWAPDB index1 index2 exchanges two databases: the clients of each see the keys of the
// other at once.
var _ = register(&Command{
	Name: "swapdb", Arity: 3, Flags: Write | Fast | Whole, Group: ServerGroup, Categories: []string{"keyspace", "dangerous"}, Since: "4.0.0",
	Summary: "Swaps two Redis databases", Usage: "index1 index2",
	Complexity: "O(N) where N is the count of clients watching or blocking on keys from both databases.", Run: swapdb,
})

const (
	errFirstDB  Error = "ERR invalid first DB index"
	errSecondDB Error = "ERR invalid second DB index"
)

func swapdb(c *Call) error {
	if c.Server.Config().ClusterEnabled {
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
	if !c.hasDatabase(a) || !c.hasDatabase(b) {
		return errDBRange
	}
	c.Tx.Swap(a, b)
	return replyOK(c)
}
