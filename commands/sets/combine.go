package sets

import (
	"bytes"
	"cmp"
	"slices"

	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/set"
)

// costOfCombination counts the members of all sets. Each of them is looked up in the others.
var costOfCombination = commands.CostOfValues(10)

// members calls f for each member of a result, until f returns false.
type members func(f func(member []byte) bool)

// readSets returns the sets of keys.
func readSets(c *commands.Call, keys [][]byte) ([]set.Set, error) {
	all := make([]set.Set, len(keys))
	for i, key := range keys {
		var err error
		if all[i], err = readSet(c, key); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// inter gives the members that are in all sets. It searches the larger sets for members of the smallest.
func inter(all []set.Set) members {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b set.Set) int { return cmp.Compare(a.Len(), b.Len()) })
	return selectMembers(all, true)
}

// diff gives the members of the first set that are in no other.
func diff(all []set.Set) members { return selectMembers(all, false) }

// selectMembers gives the members of the first set that every other set has, or that no other set has.
func selectMembers(all []set.Set, has bool) members {
	return func(f func([]byte) bool) {
		all[0].Each(func(member []byte) bool {
			for _, other := range all[1:] {
				if other.Has(member) != has {
					return true
				}
			}
			return f(member)
		})
	}
}

// union gives the members of any set, each of them once.
func union(all []set.Set) members {
	return func(f func([]byte) bool) {
		for i, s := range all {
			more := true
			s.Each(func(member []byte) bool {
				for _, before := range all[:i] {
					if before.Has(member) {
						return true
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
