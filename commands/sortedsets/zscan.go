package sortedsets

import (
	"math"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/store"
)

// ZSCAN key cursor [MATCH pattern] [COUNT count] replies with the next cursor and some members with
// their scores. The cursor 0 ends the scan. Scores are strings, in RESP3 too. A scan returns every
// member that exists during the whole scan. In a set that stays large, it returns each member
// exactly once.
var _ = commands.Register(&commands.Command{
	Name: "zscan", Arity: -3, Flags: commands.ReadOnly, Keys: commands.OneKey,
	Group: commands.GroupSortedSet, Tips: commands.NondeterministicOutput, Run: zscan,
	Cost: commands.CostOfValue,
})

func zscan(c *commands.Call) error {
	cursor, err := commands.ParseCursor(c.Args[2])
	if err != nil {
		return err
	}
	z, err := values.Read(c, c.Args[1])
	if err != nil {
		return err
	}
	if z.Len() == 0 { // Redis accepts wrong options for an absent key
		commands.ReplyScan(c, 0, nil)
		return nil
	}
	o, err := commands.ParseScanOptions(c.Args[3:], nil)
	if err != nil {
		return err
	}
	next, items := scanSorted(z, cursor, &o)
	c.Out.Array(2)
	c.Out.BulkInt(int64(next))
	c.Out.Array(2 * len(items))
	for _, it := range items {
		c.Out.BulkString(it.Member)
		replyScanScore(c, it.Score, z.Compact())
	}
	return nil
}

// replyScanScore replies with a score in the format of Redis. In a compact set, a whole number up
// to 2^62 is an integer. In other sets the format is that of ZSCORE.
func replyScanScore(c *commands.Call, score float64, compact bool) {
	if compact && math.Abs(score) <= 1<<62 && math.Trunc(score) == score {
		c.Out.BulkInt(int64(score))
		return
	}
	var buf [32]byte
	c.Out.Bulk(resp.FormatDouble(buf[:0], score))
}

// A cursor is a position in the order of the hashes of the members. Writes do not change this
// order. A call returns the members whose hashes are between its cursor and the next one.
//
// To find them, a call reads the whole set. So a call returns more members of a larger set than
// COUNT says. As in Redis, a call returns a whole compact set, whatever the cursor is.
const (
	scanMaxCalls = 64      // of a scan of a whole set
	scanSpace    = 1 << 48 // larger than every hash; a double holds each cursor exactly
)

func scanSorted(z store.SortedSet, cursor uint64, o *commands.ScanOptions) (next uint64, items []store.Item) {
	n := z.Len()
	end := uint64(scanSpace)
	if z.Compact() {
		cursor = 0
	} else if calls := min(int64(n)/o.Count, scanMaxCalls); calls > 1 {
		end = min(cursor, scanSpace) + scanSpace/uint64(calls)
	}
	z.Range(0, n, false, func(score float64, member []byte) bool {
		if h := scanHash(member); cursor <= h && h < end && o.Matches(member) {
			items = append(items, store.Item{Score: score, Member: string(member)})
		}
		return true
	})
	if end >= scanSpace {
		return 0, items
	}
	return end, items
}

// scanHash is FNV-1a, reduced to scanSpace. It mixes the high bits in.
func scanHash(s []byte) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	h ^= h >> 32
	h *= 0x9fb21c651e98df25
	return h >> 16
}
