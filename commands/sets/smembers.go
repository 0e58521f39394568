package sets

import (
	"cellserver/commands"
	"cellserver/store/set"
)

// SMEMBERS key replies with all members: a set in RESP3. SSCAN key cursor [MATCH pattern] [COUNT count]
// replies with the next cursor and some members. The cursor 0 ends the scan. A scan returns every member
// that exists during the whole scan.
var (
	_ = commands.Register(&commands.Command{
		Name: "smembers", Arity: 2, Flags: commands.ReadOnly, Keys: commands.OneKey,
		Group: commands.GroupSet, Tips: commands.NondeterministicOrder, Run: values.Reply(smembers),
		Cost: commands.CostOfValue,
	})
	_ = commands.Register(&commands.Command{
		Name: "sscan", Arity: -3, Flags: commands.ReadOnly, Keys: commands.OneKey, Group: commands.GroupSet,
		Tips: commands.NondeterministicOutput, Run: sscan, Cost: commands.CostOfScan,
	})
)

func smembers(c *commands.Call, s set.Set) {
	c.Out.Set(s.Len())
	replyMembers(c, s)
}

func replyMembers(c *commands.Call, s set.Set) {
	s.Each(func(member []byte) bool {
		c.Out.Bulk(member)
		return !c.Out.Over()
	})
}

func sscan(c *commands.Call) error {
	cursor, err := commands.ParseCursor(c.Args[2])
	if err != nil {
		return err
	}
	s, err := values.Read(c, c.Args[1])
	if err != nil {
		return err
	}
	return commands.ScanMembers(c, cursor, s.Len(), func(cursor uint64, count int, o *commands.ScanOptions, add func(...[]byte)) (next uint64) {
		return s.Scan(cursor, count, func(member []byte) {
			if o.Matches(member) {
				add(member)
			}
		})
	})
}
