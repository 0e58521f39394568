package cluster

import (
	"cellserver/commands"
	"cellserver/store"
)

const (
	errInvalidSlot      commands.Error = "ERR Invalid slot"
	errInvalidSlotCount commands.Error = "ERR Invalid slot or number of keys"
)

func clusterKeySlot(c *commands.Call) error {
	c.Out.Int(int64(store.Slot(c.Args[2])))
	return nil
}

// slotFootprint adds the partition of the slot that argument 2 names.
func slotFootprint(c *commands.Call, fp *store.Footprint) {
	if n, ok := commands.ParseInt(c.Args[2]); ok && n >= 0 && n < store.Slots {
		fp.AddSlot(uint16(n))
	}
}

func clusterCountKeys(c *commands.Call) error {
	slot, err := c.Int(2)
	if err != nil {
		return err
	}
	if slot < 0 || slot >= store.Slots {
		return errInvalidSlot
	}
	n := int64(0)
	eachInSlot(c, uint16(slot), func([]byte) { n++ })
	c.Out.Int(n)
	return nil
}

func clusterGetKeys(c *commands.Call) error {
	slot, err := c.Int(2)
	if err != nil {
		return err
	}
	limit, err := c.Int(3)
	if err != nil {
		return err
	}
	if slot < 0 || slot >= store.Slots || limit < 0 {
		return errInvalidSlotCount
	}
	array, n := c.Out.DeferArray(), 0
	eachInSlot(c, uint16(slot), func(key []byte) {
		if int64(n) < limit {
			c.Out.Bulk(key)
			n++
		}
	})
	c.Out.SetArray(array, n)
	return nil
}

// eachInSlot calls do with every key of a slot. It scans the partition of the slot.
func eachInSlot(c *commands.Call, slot uint16, do func(key []byte)) {
	c.Tx.EachIn(store.PartitionOf(slot), func(e *store.Entry) {
		if store.Slot(e.Key()) == slot {
			do(e.Key())
		}
	})
}
