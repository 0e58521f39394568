package commands

import "cellserver/store"

const (
	errInvalidSlot      Error = "ERR Invalid slot"
	errInvalidSlotCount Error = "ERR Invalid slot or number of keys"
)

func clusterKeySlot(c *Call) error {
	c.Out.Int(int64(store.Slot(c.Args[2])))
	return nil
}

// slotFootprint locks the partition of the slot that is argument 2.
func slotFootprint(c *Call, fp *store.Footprint) {
	if n, ok := parseInt(c.Args[2]); ok && n >= 0 && n < store.Slots {
		fp.AddSlot(uint16(n))
	}
}

func clusterCountKeys(c *Call) error {
	slot, err := c.Int(2)
	if err != nil {
		return err
	}
	if slot < 0 || slot >= store.Slots {
		return errInvalidSlot
	}
	n := int64(0)
	c.eachInSlot(uint16(slot), func([]byte) { n++ })
	c.Out.Int(n)
	return nil
}

func clusterGetKeys(c *Call) error {
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
	c.eachInSlot(uint16(slot), func(key []byte) {
		if int64(n) < limit {
			c.Out.Bulk(key)
			n++
		}
	})
	c.Out.SetArray(array, n)
	return nil
}

// eachInSlot calls do for the keys of a slot: those of its partition whose slot it is.
func (c *Call) eachInSlot(slot uint16, do func(key []byte)) {
	c.Tx.EachIn(store.PartitionOf(slot), func(e *store.Entry) {
		if store.Slot(e.Key()) == slot {
			do(e.Key())
		}
	})
}
