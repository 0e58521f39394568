package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// Steps ([commands.Cost]) for each item of a range.
const (
	readSteps   = 1
	changeSteps = 10 // to add a member, to remove one, or to find one at a random rank
)

// seekSteps returns how many steps it takes to find a member.
func seekSteps(e *store.Entry) int { return e.Sorted().Seek() }

// costOfChanges is the [commands.Cost] of a command that changes the members that its words name.
var costOfChanges = commands.CostOfWords(func(e *store.Entry) int { return max(changeSteps, seekSteps(e)) })

// costOfRange returns how many steps a range of a key takes, at some steps for each item. It looks for the
// range in large sets only.
func costOfRange(c *commands.Call, key []byte, steps int, parse func() (interval, error)) int {
	e := c.Tx.Peek(key)
	most := steps * commands.StepsOfValue(&e)
	if most <= commands.MaxSteps || e.Kind() != store.Sorted {
		return most
	}
	ranks, err := parse()
	if err != nil {
		return 0
	}
	lo, hi := ranks(e.Sorted())
	return stepsOfItems(e.Sorted(), lo, hi, steps)
}

// stepsOfItems is how many steps the items of the ranks lo to hi-1 take, at some steps for each and those
// for its bytes. It stops above [commands.MaxSteps].
func stepsOfItems(z store.SortedSet, lo, hi, steps int) int {
	total := steps * (hi - lo)
	if total <= commands.MaxSteps {
		z.Range(lo, hi, false, func(_ float64, member []byte) bool {
			total += commands.StepsOfBytes(len(member))
			return total <= commands.MaxSteps
		})
	}
	return total
}

// values are the sorted sets of keys.
var values = commands.Value[store.SortedSet]{
	Kind: store.Sorted, Of: func(e store.Entry) store.SortedSet { return e.Sorted() },
}

func replyItem(c *commands.Call, score float64, member []byte, withScores bool) {
	if withScores && c.Out.Proto == 3 {
		c.Out.Array(2)
	}
	c.Out.Bulk(member)
	if withScores {
		c.Out.Double(score)
	}
}

// replyRange replies with the items of the ranks lo to hi-1, in descending order if reverse is set.
func replyRange(c *commands.Call, z store.SortedSet, lo, hi int, reverse, withScores bool) {
	c.StartPairs(hi-lo, withScores)
	z.Range(lo, hi, reverse, func(score float64, member []byte) bool {
		replyItem(c, score, member, withScores)
		return !c.Out.Over()
	})
}

// collect returns the items of the ranks lo to hi-1, in descending order if reverse is set.
func collect(z store.SortedSet, lo, hi int, reverse bool) []store.Item {
	items := make([]store.Item, 0, max(hi-lo, 0))
	z.Range(lo, hi, reverse, func(score float64, member []byte) bool {
		items = append(items, store.Item{Score: score, Member: string(member)})
		return true
	})
	return items
}

// storeSorted replaces a key by a sorted set of items, and replies with their number. Without items
// it deletes the key.
func storeSorted(c *commands.Call, key []byte, items []store.Item) error {
	e := c.Tx.Write(key)
	existed := e.Exists()
	e.ZStore(items)
	if len(items) > 0 {
		c.Notify(commands.SortedEvents, c.Cmd.Name, key)
	} else if existed {
		c.Notify(commands.GenericEvents, "del", key)
	}
	c.Out.Int(int64(len(items)))
	return nil
}

// replyItems replies with a slice of items.
func replyItems(c *commands.Call, items []store.Item, withScores bool) {
	c.StartPairs(len(items), withScores)
	for _, it := range items {
		replyItem(c, it.Score, []byte(it.Member), withScores)
	}
}
