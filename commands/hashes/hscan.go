package hashes

import "cellserver/commands"

// HSCAN key cursor [MATCH pattern] [COUNT count] replies with the next cursor and some fields with their
// values. The cursor 0 ends the scan. A scan returns every field that exists during the whole scan. A small
// hash comes at once, as in Redis.
var _ = commands.Register(&commands.Command{
	Name: "hscan", Arity: -3, Flags: commands.ReadOnly, Keys: commands.OneKey, Group: commands.GroupHash,
	Tips: commands.NondeterministicOutput, Run: hscan, Cost: commands.CostOfScan,
})

func hscan(c *commands.Call) error {
	cursor, err := commands.ParseCursor(c.Args[2])
	if err != nil {
		return err
	}
	h, err := values.Read(c, c.Args[1])
	if err != nil {
		return err
	}
	return commands.ScanMembers(c, cursor, h.Len(), func(cursor uint64, count int, o *commands.ScanOptions, add func(...[]byte)) (next uint64) {
		return h.Scan(cursor, count, func(field, val []byte) {
			if o.Matches(field) {
				add(field, val)
			}
		})
	})
}
