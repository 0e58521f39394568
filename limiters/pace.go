package limiters

import (
	"bytes"
	"errors"

	"cellserver/internal/decimal"
	"cellserver/internal/rediserr"
	"cellserver/limiters/pace"
	"cellserver/store"
)

// Pacer is the limiter of CL.PACE. Its key holds two integers with a space between them. The first is the
// Unix nanosecond at which the next action may begin. The second is the unused time before it, in
// nanoseconds. An absent key means that the last action was long ago.
type Pacer struct {
	plainKey
	pace.Pacer
}

var errNoWarmup = errors.New("warmup must be positive")

const errNoPace rediserr.Error = "ERR the key holds no pace: it is not two integers"

// ReadPace parses the arguments max_burst, count and period and the options MAXWAIT and WARMUP.
func ReadPace(a *Args) (p Pacer, err error) {
	maxBurst, count, period := a.Integer("max_burst"), a.Integer("count"), a.Seconds("period")
	if err = a.Finish(OptMaxWait | OptWarmup); err != nil {
		return p, err
	}
	maxWait, warmup := int64(pace.Forever), a.value(OptWarmup)
	if a.Has(OptMaxWait) {
		maxWait = a.value(OptMaxWait)
	}
	if a.Has(OptWarmup) && warmup == 0 {
		return p, errNoWarmup
	}
	p.Pacer, err = pace.New(maxBurst, count, period, maxWait, warmup)
	return p, err
}

// Decide implements [Limiter].
func (p Pacer) Decide(e *store.Entry, a *Answer, now, quantity int64) error {
	if err := CheckString(e); err != nil {
		return err
	}
	var state pace.State
	if e.Exists() {
		var ok bool
		if state.Free, state.Stored, ok = twoIntegers(e.Bytes(nil)); !ok {
			return errNoPace
		}
	}
	d, state, err := p.Pacer.Decide(state, now, quantity)
	a.Set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.Hold, a.state[0], a.state[1] = d.Hold, state.Free, state.Stored
	return err
}

// Apply implements [Limiter].
func (p Pacer) Apply(e *store.Entry, a *Answer, now int64) {
	e.SetBytes(paceState(a.state[0], a.state[1]), expiryAfter(now, a.ResetAfter))
}

// paceState is what a key holds.
func paceState(free, stored int64) []byte {
	state := decimal.Append(make([]byte, 0, 40), free)
	return decimal.Append(append(state, ' '), stored)
}

// twoIntegers parses two integers with a space between them.
func twoIntegers(b []byte) (x, y int64, ok bool) {
	first, second, _ := bytes.Cut(b, []byte{' '})
	x, okX := decimal.Parse(first)
	y, okY := decimal.Parse(second)
	return x, y, okX && okY
}
