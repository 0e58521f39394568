package store

import (
	"bytes"
	"slices"
)

// Step is a step back of the wall clock: at Was, in Unix nanoseconds of the former time, it was set back by Back nanoseconds.
type Step struct{ Was, Back int64 }

// StepBack moves all times in the future back with the clock. It locks every partition for a moment, and calls at, which
// sets the clock back; at must be quick and must not use the store. A partition moves its keys when the next transaction
// locks it, or in [Store.CatchUp]. So no transaction sees a key of the former time.
//
// A key that had expired at Was is removed. Of any other key with an expiry, [Options].MoveBack moves the times. The changes
// are effects.
func (s *Store) StepBack(step Step, at func()) {
	var all Footprint
	all.AddAll()
	s.locks.waitFor(&all, 0)
	defer s.locks.unlock(&all)
	if at != nil {
		at()
	}
	s.steps.Add(1)
	epoch := s.epoch.Add(2)
	for i := range s.partitions {
		p := &s.partitions[i]
		p.behind = &behind{step, p.behind}
		p.epoch = epoch | epochBehind
	}
}

// CatchUp moves the keys of every partition that is behind. It locks one partition at a time. It may wait for the disk
// ([Reliever]). The caller must not have an active transaction.
func (s *Store) CatchUp() {
	tx := s.NewTx()
	for i := range s.partitions {
		var fp Footprint
		fp.add(i)
		tx.Begin(0, 0, &fp)
		tx.End()
		s.relieve()
	}
}

// relieve lets observers write the effects that wait.
func (s *Store) relieve() {
	for _, o := range s.observers {
		if r, ok := o.(Reliever); ok {
			r.Relieve()
		}
	}
}

// Steps returns how often the clock was set back, and how many keys have moved since the start.
func (s *Store) Steps() (steps, moved int64) { return s.steps.Load(), s.moved.Load() }

// epochBehind is set in the epoch of a partition whose keys have not moved yet. So it differs from that of every
// transaction.
const epochBehind = 1

// behind is a list of steps, the last one first, that a partition has not followed yet.
type behind struct {
	Step
	before *behind
}

// meetStep is the part of Begin for a partition with another epoch than the transaction: the clock was set back. The
// partition follows. The time of the transaction may be the former one, so tx.Stepped reads the clock again.
func (tx *Tx) meetStep(p *partition) {
	if p.behind != nil {
		tx.s.follow(p)
	}
	if tx.epoch == p.epoch {
		return
	}
	tx.epoch, tx.stepped = p.epoch, true
	if tx.Stepped != nil {
		tx.now = tx.Stepped()
	}
}

// follow moves the keys of a partition, whose lock is held, in a transaction of their own.
func (s *Store) follow(p *partition) {
	tx := s.NewTx()
	tx.NoTouch, tx.only = true, p
	tx.moveBack(p.behind)
	p.behind = nil
	p.epoch &^= epochBehind
}

// moveBack follows a list of steps, the first one first.
func (tx *Tx) moveBack(b *behind) {
	if b == nil || tx.s.moveBack == nil {
		return
	}
	tx.moveBack(b.before)
	tx.now = b.Was
	for _, t := range slices.Clone(tx.only.tables) {
		tx.db = t.DB
		for _, key := range tx.volatileKeys() {
			e := tx.Peek(key)
			tx.s.moveBack(&e, b.Step)
			tx.s.moved.Add(1)
			if len(tx.effects) >= keptEffects {
				tx.observe()
			}
		}
		tx.observe()
	}
}

// volatileKeys returns the keys of the partition that have an expiry. It removes the expired ones.
func (tx *Tx) volatileKeys() (keys [][]byte) {
	tx.EachIn(int(tx.only.index), func(e *Entry) {
		if e.ExpireAt() != NoExpiry {
			keys = append(keys, bytes.Clone(e.Key()))
		}
	})
	return keys
}

// observe hands the effects so far to the observers.
func (tx *Tx) observe() {
	if len(tx.effects) == 0 {
		return
	}
	tx.changes += int64(len(tx.effects))
	tx.CountChanges()
	for _, o := range tx.s.observers {
		o.Committed(tx, tx.effects)
	}
	tx.dropEffects()
}
