package store

import (
	"slices"

	"cellserver/internal/pieces"
	"cellserver/store/table"
)

// The room for undos that a transaction keeps after its end.
const (
	keptPackedBytes = 4 << 10 // of packed undos
	keptUndos       = 16      // other undos
)

// KeepUndo begins or ends keeping what keys held before transactions change them. It locks every
// partition for a moment. The undos from before such a call can no longer be reverted.
//
// While it is on, each transaction has its undos ([Tx.TakeUndo]). No string is overwritten in place,
// and a collection is forked before a transaction changes it.
func (s *Store) KeepUndo(on bool) {
	tx := s.NewTx()
	tx.BeginAll(0, 0)
	defer tx.End()
	if s.keepsUndo == on {
		return
	}
	s.keepsUndo = on
	for i := range s.partitions {
		var undo *table.UndoLog
		if on {
			undo = &table.UndoLog{}
		}
		snapshot, _ := s.partitions[i].kept()
		s.partitions[i].keep(snapshot, undo)
	}
	if on {
		s.observers = append(slices.Clip(s.observers), undoEnd{})
	} else {
		s.observers = s.observers[:len(s.observers)-1]
	}
}

// undoEnd is the last observer while undos are kept: they end with their transaction. So a store that
// keeps none does nothing for them.
type undoEnd struct{}

func (undoEnd) Committed(tx *Tx, _ []Effect) { tx.dropUndo() }

// keepsUndo reports whether the changes of the transaction can be undone.
func (tx *Tx) keepsUndo() bool {
	return (tx.s.keepsUndo || tx.undo.keeps) && !tx.Silent && !tx.Applied
}

// TakeUndo returns the undos of the transaction, in the order of its changes. It is for an observer, in its
// Committed. The list and its keys are valid until the observer returns: append them to another list. The
// undos end with [Store.Revert] or [Store.DropUndo].
func (tx *Tx) TakeUndo() *UndoList {
	if !tx.keepsUndo() {
		return &UndoList{}
	}
	tx.undo.taken = true
	if tx.only != nil && tx.undo.list.Empty() {
		return tx.only.keeper.Undo.Undos()
	}
	tx.gatherUndo()
	return &tx.undo.list
}

// gatherUndo moves the undos of the partitions into the list of the transaction. The order of
// partitions does not matter, because their keys differ.
func (tx *Tx) gatherUndo() {
	tx.eachUndoLog(func(l *table.UndoLog) {
		tx.undo.list.Move(l.Undos())
		l.Reset()
	})
}

// keepFlush keeps the tables that a flush has detached.
func (tx *Tx) keepFlush(flushed []table.Detached) {
	if len(flushed) == 0 {
		return
	}
	held := table.UndoBytes
	for _, d := range flushed {
		held += d.Table.Bytes()
	}
	tx.gatherUndo()
	tx.undo.list.Add(Undo{Before: Image{DB: tx.db}, Held: held, Whole: &table.Whole{Tables: flushed}})
}

// keepSwap keeps that two databases were exchanged.
func (tx *Tx) keepSwap(a, b int) {
	if !tx.keepsUndo() {
		return
	}
	tx.gatherUndo()
	tx.undo.list.Add(Undo{Before: Image{DB: a}, Held: table.UndoBytes, Whole: &table.Whole{Other: b}})
}

// dropUndo ends the undos of the transaction, taken or not.
func (tx *Tx) dropUndo() {
	if tx.only != nil {
		tx.only.keeper.Undo.End()
	} else {
		tx.eachUndoLog((*table.UndoLog).End)
	}
	u := &tx.undo
	if !u.list.Empty() {
		for _, whole := range u.list.Reset() {
			if !u.taken {
				freeUndo(&whole)
			}
		}
		u.list.Trim(keptPackedBytes, keptUndos)
	}
	u.taken = false
}

// freeUndo gives the memory of flushed keys back, if the undo is that of a flush. All partitions are locked.
func freeUndo(u *Undo) {
	if u.OfKey() {
		return
	}
	for _, d := range u.Whole.Tables {
		d.Table.Free()
	}
	u.Whole = nil
}

// Revert takes changes back, the last one of the log first. The log has the undos of the last
// transactions, all of them and in their order. Revert locks all partitions itself, so the caller
// must not have an active transaction. The log is empty afterwards: its undos are zero.
//
// Revert is a transaction with [Tx.Applied]. It marks watchers, and the observers learn of its
// effects. A database whose keys come back after FLUSHDB has the effect [OpFlush]: for an observer,
// all of its keys may have changed.
//
// Keys get their values, expiries and access clocks back. The uses of keys that did not change stay.
// If there is no memory, Revert panics with [ErrExhausted], and only the last changes are undone.
func (s *Store) Revert(log []Undo) {
	tx := s.NewTx()
	tx.KeepExpired, tx.Applied = true, true
	tx.BeginAll(0, 0)
	defer tx.End()
	for i := range slices.Backward(log) {
		tx.revert(&log[i])
	}
	clear(log)
}

// DropUndo ends undos that are not needed any more, and gives their memory back. They are all undos, or those
// of the oldest transactions. The caller must not have an active transaction. The undos are zero afterwards.
func (s *Store) DropUndo(log []Undo) {
	for i := range log {
		if u := &log[i]; !u.OfKey() && u.Whole.Tables != nil {
			tx := s.NewTx()
			tx.BeginAll(0, 0)
			freeUndo(u)
			tx.End()
		}
	}
	clear(log)
}

func (tx *Tx) revert(u *Undo) {
	tx.db = u.Before.DB
	switch {
	case u.OfKey():
		tx.revertKey(u)
	case u.Whole.Tables != nil:
		tx.revertFlush(u.Whole.Tables)
	default:
		tx.Swap(tx.db, u.Whole.Other)
	}
}

// revertKey makes a key hold what it held.
func (tx *Tx) revertKey(u *Undo) {
	before := &u.Before
	e := tx.Peek(before.Key)
	switch before.Kind {
	case None:
		e.Delete()
		return
	case Int:
		e.SetInt(before.Int, before.ExpireAt)
	case Raw:
		// Others may still read the same memory, and the string may change in place later.
		e.adoptBytes(pieces.Append(make([]byte, 0, len(before.Bytes)), before.Bytes), before.ExpireAt)
	default:
		e.SetCollection(before.Collection, before.ExpireAt)
	}
	e.place.Cell().SetAccess(u.Access)
}

// revertFlush makes a database have the keys that FLUSHDB has removed, and no others.
func (tx *Tx) revertFlush(flushed []table.Detached) {
	for _, d := range flushed {
		p := &tx.s.partitions[d.Partition]
		t := tx.s.tables.findOrMake(p, tx.db)
		p.markAllDirty(tx.db, t.Has) // these keys go
		t.Attach(d.Table)
		p.markAllDirty(tx.db, t.Has) // these keys come back
	}
	*tx.newEffect() = Effect{Op: OpFlush, DB: tx.db}
}

// KeepUndo makes the transaction keep what it changes from now on, until its end. So [Tx.Rollback] can take
// it back. Call it before the first write.
func (tx *Tx) KeepUndo() {
	if tx.s.keepsUndo || tx.undo.keeps {
		return
	}
	tx.undo.from = len(tx.effects)
	if tx.undo.own == nil {
		tx.undo.own = &ownUndo{end: tx.endOwnUndo}
		tx.undo.own.keeper.Undo = &tx.undo.own.log
	}
	tx.undo.keeps = true
	own := tx.undo.own
	tx.eachPartition(func(p *partition) {
		if snapshot, _ := p.kept(); snapshot != nil {
			p.keep(snapshot, &own.log)
		} else {
			p.keeper = &own.keeper
		}
	})
}

// endOwnUndo ends what KeepUndo began.
func (tx *Tx) endOwnUndo() {
	tx.dropUndo()
	tx.undo.keeps, tx.undo.from = false, 0
	tx.eachPartition(func(p *partition) {
		snapshot, _ := p.kept()
		p.keep(snapshot, nil)
	})
}

// Rollback takes back all that the transaction has done since [Tx.KeepUndo], and with [Store.KeepUndo] since
// Begin. Without either, it has only removed expired keys, and they stay removed. The partitions stay locked,
// and the transaction may go on. Watchers of the keys stay marked. As [Store.Revert], it panics with
// [ErrExhausted] if there is no memory.
func (tx *Tx) Rollback() {
	if !tx.s.keepsUndo && !tx.undo.keeps {
		return
	}
	db, keepExpired := tx.db, tx.KeepExpired
	tx.gatherUndo()
	tx.KeepExpired, tx.Applied = true, true
	defer func() { tx.db, tx.KeepExpired, tx.Applied = db, keepExpired, false }()
	all := tx.undo.list.All(nil)
	for i := range slices.Backward(all) {
		tx.revert(&all[i])
	}
	tx.undo.list.Reset()
	tx.eachUndoLog((*table.UndoLog).Reset)
	clear(tx.effects[tx.undo.from:])
	tx.effects = tx.effects[:tx.undo.from]
	tx.Draft = nil
	tx.weighed, tx.weight = 0, 0
}
