package aof

import (
	"cellserver/internal/decimal"
	"cellserver/store"
)

// rareCommands has the commands of effects that no codec applies. In a file they may come from a Redis, in a
// form that only the server knows, so a [Replayer] applies them there.
var rareCommands = map[string]applyFunc{
	"PERSIST": applyPersist, "FLUSHDB": applyFlush, "SWAPDB": applySwap, "SETRANGE": applySetRange, "APPEND": applyAppend,
}

func applyPersist(a *applier, args [][]byte) bool {
	if len(args) != 2 {
		return false
	}
	a.begin(args[1])
	defer a.tx.End()
	e := a.tx.Write(args[1])
	e.SetExpiry(store.NoExpiry)
	return true
}

func applyFlush(a *applier, args [][]byte) bool {
	if len(args) != 1 {
		return false
	}
	a.beginAll(a.db)
	defer a.tx.End()
	a.tx.Flush()
	return true
}

func applySwap(a *applier, args [][]byte) bool {
	if len(args) != 3 {
		return false
	}
	one, ok1 := decimal.Parse(args[1])
	other, ok2 := decimal.Parse(args[2])
	if n := int64(a.store.Databases()); !ok1 || !ok2 || one < 0 || one >= n || other < 0 || other >= n {
		return false
	}
	a.beginAll(0)
	defer a.tx.End()
	a.tx.Swap(int(one), int(other))
	return true
}

// applyAppend makes an absent key an empty string. An effect has no other APPEND.
func applyAppend(a *applier, args [][]byte) bool {
	return len(args) == 3 && len(args[2]) == 0 && a.setRange(args[1], 0, nil)
}

// beginAll begins a transaction on the whole store.
func (a *applier) beginAll(db int) {
	var everything store.Footprint
	everything.AddAll()
	a.tx.Begin(a.now, db, &everything)
}
