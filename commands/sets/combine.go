package sets

import (
	"bytes"
	"cmp"
	"slices"

	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/set"
)

// costOfCombination counts the members of all sets. Each of them is looked up.
var costOfCombination = commands.CostOfValues(10)

// members calls f for each member of a result, until f returns false.
type members func(f func(member []byte) bool)

// readSets returns the sets of keys.
func readSets(c *commands.Call, keys [][]byte) ([]set.Set, error) {
	all := make([]set.Set, len(keys))
	for i, key := range keys {
		var err error
		if all[i], err = values.Read(c, key); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// inter gives the members that are in all sets. It searches the larger sets for members of the smallest.
func inter(all []set.Set) members {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b set.Set) int { return cmp.Compare(a.Len(), b.Len()) })
	return func(f func([]byte) bool) {
		all[0].Each(func(member []byte) bool {
			for _, other := range all[1:] {
				if !other.Has(member) {
					return true
				}
			}
			return f(member)
		})
	}
}

// diff gives the members of the first set that are in no other. The time is that of the sizes of all sets. It
// compares the first set with each other one, and searches the larger of the two for members of the smaller.
func diff(all []set.Set) members {
	return func(f func([]byte) bool) {
		gone := map[string]struct{}{}
		for _, other := range all[1:] {
			few, many := other, all[0]
			if many.Len() < few.Len() {
				few, many = many, few
			}
			few.Each(func(member []byte) bool {
				if many.Has(member) {
					gone[string(member)] = struct{}{}
				}
				return true
			})
		}
		all[0].Each(func(member []byte) bool {
			_, is := gone[string(member)]
			return is || f(member)
		})
	}
}

// union gives the members of any set, each of them once. The time is that of the sizes of all sets.
func union(all []set.Set) members {
	return func(f func([]byte) bool) {
		given := map[string]struct{}{} // by the sets between the first and the last
		for i, s := range all {
			more := true
			s.Each(func(member []byte) bool {
				if i > 0 {
					if _, twice := given[string(member)]; twice || all[0].Has(member) {
						return true
					}
					if i < len(all)-1 {
						given[string(member)] = struct{}{}
					}
				}
				more = f(member)
				return more
			})
			if !more {
				return
			}
		}
	}
}

// combine returns the function of a command that replies with the result of an operation.
func combine(operation func([]set.Set) members) func(*commands.Call) error {
	return func(c *commands.Call) error {
		all, err := readSets(c, c.Args[1:])
		if err != nil {
			return err
		}
		var found [][]byte
		operation(all)(func(member []byte) bool {
			found = append(found, bytes.Clone(member))
			return true
		})
		c.Out.Set(len(found))
		for _, member := range found {
			c.Out.Bulk(member)
		}
		return nil
	}
}

// combineStore returns the function of a command that stores the result of an operation.
func combineStore(operation func([]set.Set) members) func(*commands.Call) error {
	return func(c *commands.Call) error {
		all, err := readSets(c, c.Args[2:])
		if err != nil {
			return err
		}
		e := c.Tx.Write(c.Args[1])
		existed := e.Exists()
		e.StoreAll(set.Type, store.NoExpiry, func(add func(store.Operands)) {
			operation(all)(func(member []byte) bool {
				add(store.Operands{Value: member})
				return true
			})
		})
		if e.Exists() {
			c.Notify(commands.SetEvents, c.Cmd.Name, c.Args[1])
		} else if existed {
			c.Notify(commands.GenericEvents, "del", c.Args[1])
		}
		c.Out.Int(int64(e.Set().Len()))
		return nil
	}
}
