package keys

import (
	"cellserver/commands"
	"cellserver/internal/glob"
	"cellserver/store"
)

// KEYS pattern replies with every key that matches the pattern (package internal/glob).
var _ = commands.Register(&commands.Command{
	Name: "keys", Arity: 2, Flags: commands.ReadOnly | commands.WholeKeyspace, Group: commands.GroupGeneric,
	Categories: []string{"keyspace", "dangerous"},
	Tips:       []string{"request_policy:all_shards", "nondeterministic_output_order"}, Run: keys,
})

func keys(c *commands.Call) error {
	all := string(c.Args[1]) == "*" // * matches the empty key, too
	array, n := c.Out.DeferArray(), 0
	c.Tx.Each(func(e *store.Entry) {
		if !c.Out.Over() && (all || glob.Match(c.Args[1], e.Key())) {
			c.Out.Bulk(e.Key())
			n++
		}
	})
	c.Out.SetArray(array, n)
	return nil
}
