package keys

import (
	"math"
	"slices"
	"strconv"

	"cellserver/commands"
	"cellserver/store"
)

// SCAN cursor [MATCH pattern] [COUNT count] [TYPE type] replies with the next cursor and some keys
// of the database. The cursor "0" ends the scan. A scan returns every key that exists during the
// whole scan, exactly once.
var _ = commands.Register(&commands.Command{
	Name: "scan", Arity: -2, Flags: commands.ReadOnly | commands.WholeKeyspace,
	Group: commands.GroupGeneric, Tips: []string{"nondeterministic_output", "request_policy:special"},
	Run: scan,
})

func scan(c *commands.Call) error {
	cursor, err := commands.ParseCursor(c.Args[1])
	if err != nil {
		return err
	}
	var kind []byte // the argument of TYPE, or nil
	o, err := commands.ParseScanOptions(c.Args[2:], func(word, arg []byte) bool {
		kind = arg
		return commands.Is(word, "type")
	})
	if err != nil {
		return err
	}
	var found [][]byte
	next := c.Tx.Scan(cursor, int(min(o.Count, math.MaxInt32)), func(e *store.Entry) {
		if o.Matches(e.Key()) && (kind == nil || commands.Is(kind, e.Kind().Name())) {
			found = append(found, slices.Clone(e.Key())) // expired keys go after the scan, so cells move
		}
	})
	var digits [20]byte
	c.Out.Array(2)
	c.Out.Bulk(strconv.AppendUint(digits[:0], next, 10))
	c.ReplyKeys(found)
	return nil
}
