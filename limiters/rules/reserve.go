package rules

import (
	"errors"
	"fmt"
	"strings"

	"cellserver/internal/exact"
	"cellserver/internal/rediserr"
	"cellserver/limiters"
	"cellserver/limiters/reservation"
	"cellserver/limiters/ruleset"
	"cellserver/store"
)

// MaxTTL is the longest time for which a reservation can be settled, in seconds: 30 days.
const MaxTTL = 2592000

// Errors of reservations.
var (
	errID            = fmt.Errorf("id must be 1 to %d bytes", reservation.MaxID)
	errIDQuantity    = errors.New("id must not be the word QUANTITY")
	errTTL           = fmt.Errorf("ttl must be positive, and at most %d seconds", MaxTTL)
	errQuantity      = errors.New("quantity must not be negative")
	ErrNoReservation = rediserr.Error("NORESERVATION no reservation of these keys has this id: it was " +
		"refused, its ttl has ended, or it never was")
)

// reserving is reusable memory for requests that reserve or settle.
type reserving struct {
	id     []byte
	hash   uint64 // of the keys
	ttl    int64
	record reservation.Record
	marks  [reservation.MaxMarks]reservation.Mark
	scopes []byte // memory of the record

	shared   bucket
	numbered bucket  // only looked up if the record may be there
	in       *bucket // the one with the record, or the one that gets it
	write    write

	settlement limiters.Settlement // of one limit
}

// release drops the references to the request.
func (r *reserving) release() {
	r.id, r.record, r.in = nil, reservation.Record{}, nil
	r.shared.release()
	r.numbered.release()
	r.write.release()
}

// ReserveFootprint is [Check.Footprint] for a request that reserves or settles.
func (c *Check) ReserveFootprint(r *ruleset.Rules, words [][]byte, queued bool, fp *store.Footprint) {
	c.Footprint(r, words, queued, fp)
	if c.looked && c.found != nil {
		for i := range c.scopes {
			// Its reservations have another slot, as do the releases of a scope that the rule no longer has.
			if c.slots[i].Braces == ruleset.OtherBraces {
				fp.AddAll()
				return
			}
		}
		return
	}
	for _, w := range words[1:] {
		if !ruleset.SharesSlot(w) { // it may be a key
			fp.AddAll()
			return
		}
	}
}

// BeginReserve finds the rule and parses the words of CL.RESERVE from the name of the rule on: keys,
// quantity, id, ttl and options. The quantity may be the option QUANTITY.
func (c *Check) BeginReserve(
	r *ruleset.Rules, tx *store.Tx, command string, words [][]byte, queued bool,
) error {
	return c.beginReserving(r, tx, command, words, limiters.OptRelease|limiters.OptExplain, queued, func() {
		if !c.Args.NamesQuantity(2) {
			c.Args.TakeQuantity()
		}
		c.reserves.id = c.Args.Next("id")
		c.reserves.ttl = c.Args.Seconds("ttl")
	})
}

// BeginSettle finds the rule and parses the words of CL.SETTLE from the name of the rule on: keys, id,
// quantity and options. The quantity may be the option QUANTITY.
func (c *Check) BeginSettle(
	r *ruleset.Rules, tx *store.Tx, command string, words [][]byte, queued bool,
) error {
	return c.beginReserving(r, tx, command, words, 0, queued, func() {
		c.reserves.id = c.Args.Next("id")
		if !c.Args.NamesQuantity(0) {
			c.Args.TakeQuantity()
		}
		c.reserves.ttl = 1
	})
}

func (c *Check) beginReserving(
	r *ruleset.Rules, tx *store.Tx, command string, words [][]byte, own limiters.Option, queued bool,
	read func(),
) error {
	if c.reserves == nil {
		c.reserves = new(reserving)
	}
	ruleErr := c.begin(r, tx, command, words, queued)
	if c.Args.Err != nil {
		return c.Args.Err
	}
	read()
	err := c.Args.Err
	if err == nil && strings.EqualFold(string(c.reserves.id), "quantity") {
		err = c.Args.Explain(errIDQuantity) // a word before it is missing
	}
	if err != nil && ruleErr == nil && len(c.Keys) > 1 && !c.named(words) {
		return errScopes(c.found, inOrder+": "+strings.TrimPrefix(err.Error(), "ERR "))
	}
	if err == nil {
		err = c.Args.FinishRequired(own)
	}
	switch {
	case err != nil:
		return err
	case c.Args.Quantity < 0:
		return errQuantity
	case len(c.reserves.id) == 0 || len(c.reserves.id) > reservation.MaxID:
		return errID
	case c.reserves.ttl <= 0 || c.reserves.ttl > MaxTTL*1e9:
		return errTTL
	case ruleErr != nil:
		return ruleErr
	}
	return nil
}

// Reserve decides about the keys as [Check.Ask], and keeps a record of what it consumes. If there is
// such a record already, it changes nothing, and the answer is that of the first request.
func (c *Check) Reserve(tx *store.Tx, now int64) (a limiters.Answer, looks bool, err error) {
	switch found, err := c.findReservation(tx, now); {
	case err != nil:
		return a, false, err
	case found:
		return answerOf(&c.reserves.record.Reserved), true, nil
	}
	if err = c.decide(now, c.Args.Quantity, false); err != nil {
		return a, false, err
	}
	peeks := c.Args.Has(limiters.OptPeek)
	limited := c.refused
	keeps := !peeks && (!limited || c.found.Shadow)
	if keeps {
		if err = c.keep(tx, now, limited); err != nil {
			return a, false, err
		}
	}
	isNew := keeps && c.reserves.in.held == nil
	if keeps && !isNew {
		c.reserves.store() // before the limits: only the first write of a transaction may use the memory of the bucket again
	}
	c.end(now, peeks)
	if isNew {
		c.reserves.store() // the last write, because a new bucket would make the states look their cells up again
	}
	looks = c.answer(&a, now, peeks)
	return a, looks, nil
}

// keep prepares the write of the record of a reservation that the limits have decided. If the rule is a
// shadow that would have refused it, no limit has counted it.
func (c *Check) keep(tx *store.Tx, now int64, refused bool) error {
	r, a := c.reserves, c.limits[c.tightest].Answer
	c.hide(&a)
	r.record = reservation.Record{ID: r.id, Hash: r.hash, At: now, End: exact.Plus(now, r.ttl), Quantity: c.Args.Quantity, Reserved: numbersOf(&a), Marks: r.marks[:0]}
	for i := range c.limits {
		if refused {
			break
		}
		m := c.limits[i].Limiter.Mark(&c.limits[i].Answer)
		r.record.Marks = append(r.record.Marks, reservation.Mark{
			Limit: c.chosen[i].limit.ID, IsTime: m.IsTime, Value: m.Value, Period: m.Period,
		})
	}
	r.record.Releases = c.Args.Has(limiters.OptRelease) && !refused && c.Args.Quantity > 0
	if !r.record.Releases {
		return c.addRecord(tx, now)
	}
	if err := c.releases.room(c.limits, c.chosen[:]); err != nil {
		return err
	}
	r.scopes = r.scopes[:0]
	for i := range c.found.Scopes {
		r.scopes = reservation.AppendScope(r.scopes, c.found.Scopes[i].Name)
	}
	r.record.Scopes = r.scopes
	if err := c.addRecord(tx, now); err != nil {
		return err
	}
	c.releases.add(r.record.End, c.releases.write(&r.record))
	return nil
}

// Settle replaces the quantity that was reserved with the real cost. If that has happened already, it changes
// nothing, and the answer is that of the first request. looks is then true.
func (c *Check) Settle(tx *store.Tx, now int64) (a limiters.Answer, looks bool, err error) {
	r := c.reserves
	switch found, err := c.findReservation(tx, now); {
	case err != nil:
		return a, false, err
	case !found:
		return a, false, ErrNoReservation
	case r.record.Settled:
		return answerOf(&r.record.Real), true, nil
	}
	for i := range c.limits {
		if err := c.settle(tx, i, now); err != nil {
			return a, false, err
		}
	}
	c.chooseTightest()
	a = c.limits[c.tightest].Answer
	c.hide(&a)
	if c.Args.Has(limiters.OptPeek) {
		c.giveBack(now)
		return a, true, nil
	}
	var release []byte
	if r.record.Releases {
		release = c.releases.write(&r.record)
	}
	r.storeSettlement(numbersOf(&a))
	if release != nil {
		c.releases.drop(release)
		c.dropLost(tx, release)
	}
	c.end(now, false)
	return a, false, nil
}

// dropLost removes a release from the sets of scopes that the rule had at the reservation, and does not have
// any more. Otherwise such a scope would give the estimate back once the rule has it again.
func (c *Check) dropLost(tx *store.Tx, release []byte) {
	for i, name := range reservation.EachScope(c.reserves.record.Scopes) {
		if i >= len(c.Keys) || string(name) == c.found.Scopes[i].Name {
			continue
		}
		begin := len(c.names)
		lost := ruleset.NameState(string(name), ruleset.ReleaseTail)
		c.names = lost.StateKey(c.names, c.asked, c.Keys[i], c.slots[i].Braces)
		if e := tx.Write(c.names[begin:]); e.Kind() == store.Sorted {
			e.ZRem(release)
		}
	}
}

// settle decides how one limit corrects what it counted. A limit that is newer than the reservation
// has counted nothing. After a reset, only what exceeds the estimate counts.
func (c *Check) settle(tx *store.Tx, i int, now int64) error {
	l, s := &c.limits[i], &c.reserves.settlement
	if settlement(s, &c.reserves.record, c.chosen[i].limit, c.Args.Quantity, c.found.Ledger) {
		if s.Real < s.Reserved && c.resetAt(tx, c.chosen[i].scope) >= c.reserves.record.At {
			s.Real = s.Reserved
		}
		return l.Limiter.Settle(&l.Entry, &l.Answer, now, s)
	}
	return l.Limiter.Charge(&l.Entry, &l.Answer, now, 0)
}

func numbersOf(a *limiters.Answer) reservation.Numbers {
	return reservation.Numbers{Limited: a.Limited, Limit: a.Limit, Remaining: a.Remaining, RetryAfter: a.RetryAfter, ResetAfter: a.ResetAfter}
}

func answerOf(n *reservation.Numbers) limiters.Answer {
	return limiters.Answer{Limited: n.Limited, Limit: n.Limit, Remaining: n.Remaining, RetryAfter: n.RetryAfter, ResetAfter: n.ResetAfter}
}
