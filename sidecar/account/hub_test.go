package account

import (
	"bytes"
	"strconv"
	"testing"

	"cellserver/internal/exact"
	"cellserver/limiters"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// epoch is the hub's time at which a world begins, in ns. It is two seconds before midnight UTC, with an odd
// rest of a microsecond.
const epoch = 1_790_035_198_000_000_789

// fault is what a hub or a holder does wrong, so that a test sees whether anybody notices.
type fault int

const (
	noFault   fault = iota
	unstamped       // a lease counts at its grant
	ageless         // all units come back, whatever their age
	slowClock       // the clock of a holder runs at half of the speed
	deaf            // the hub counts no charges
)

// hub decides with the limiters of the server. Several limits are those of a rule.
type hub struct {
	tx     *store.Tx
	fault  fault
	limits []limiters.Asked
	names  [][]byte
	asked  int // questions
}

func newHub(t testing.TB, keys *store.Store, lines ...string) *hub {
	h := &hub{tx: keys.NewTx(), limits: make([]limiters.Asked, len(lines))}
	for i, line := range lines {
		l, err := limiters.Parse(bytes.Fields([]byte(line)))
		require.NoError(t, err)
		h.limits[i].Limiter = l
		h.names = append(h.names, []byte("limit"+strconv.Itoa(i)))
	}
	return h
}

func newStore() *store.Store { return store.New(store.Options{Databases: 1, Seed: 1}) }

// transact calls a function with the entries of the keys. The argument now is in ns.
func (h *hub) transact(now int64, do func() error) {
	var fp store.Footprint
	for _, name := range h.names {
		fp.AddKey(name)
	}
	h.tx.Begin(now, 0, &fp)
	defer h.tx.End()
	for i := range h.limits {
		h.tx.FindIn(&h.limits[i].Entry, h.names[i], h.limits[i].Limiter.KeepsTAT())
	}
	if err := do(); err != nil {
		panic(err)
	}
}

// charge answers a charge.
func (h *hub) charge(now int64, ask Ask) Answer {
	h.asked++
	h.transact(now, func() error {
		for i := range h.limits {
			if h.limits[i].Quantity = ask.Want; h.fault == deaf {
				h.limits[i].Quantity = 0
			}
		}
		_, err := limiters.DecideAll(h.limits, now, true)
		limiters.ApplyAll(h.limits, now)
		return err
	})
	return h.tightest()
}

// clear deletes all keys.
func (h *hub) clear(now int64) {
	h.transact(now, func() error {
		for i := range h.limits {
			if e := &h.limits[i].Entry; e.Exists() {
				e.Delete()
			}
		}
		return nil
	})
}

// direct decides about a request of a quantity, as the client's own command does.
func (h *hub) direct(now, quantity int64) (limited bool, answer Answer) {
	h.transact(now, func() error {
		for i := range h.limits {
			h.limits[i].Quantity = quantity
		}
		refusing, err := limiters.DecideAll(h.limits, now, false)
		if err == nil {
			limiters.ApplyAll(h.limits, now)
		}
		limited = refusing >= 0
		return err
	})
	return limited, h.tightest()
}

// lease answers a question.
func (h *hub) lease(now int64, ask Ask) (g Grant) {
	h.asked++
	r := limiters.LeaseRequest{Want: ask.Want, TTL: ask.TTL * 1e6, Back: ask.Back.Units,
		Of: limiters.LeaseOf(ask.Back.At, ask.Back.Ends)}
	if h.fault == ageless {
		r.Of = limiters.LeaseOf(now/1000, 1000)
	}
	var granted limiters.Granted
	h.transact(now, func() (err error) {
		if granted, err = r.Begin(h.limits, now); err != nil {
			return err
		}
		if h.fault == unstamped {
			return h.grantUnstamped(now, &granted, r.Want)
		}
		return r.Ask(&granted, h.limits, nil, now, func(int) bool { return true })
	})
	a := h.tightest()
	return Grant{granted.Units, a.Limit, a.Remaining, millisUp(granted.Next), a.ResetAfter, granted.Ends, granted.At}
}

// grantUnstamped grants a lease of one limit as if its units were spent at once.
func (h *hub) grantUnstamped(now int64, g *limiters.Granted, want int64) (err error) {
	one := &h.limits[0]
	g.Next = limiters.Never
	g.Units, err = one.Limiter.(limiters.Lessor).Lease(&one.Entry, &one.Answer, now, now+2e6, want)
	limiters.ApplyAll(h.limits, now)
	return err
}

// tightest returns the answer of the tightest limit in milliseconds.
func (h *hub) tightest() Answer {
	tightest := &h.limits[0].Answer
	for i := range h.limits {
		if a := &h.limits[i].Answer; a.Tighter(tightest) {
			tightest = a
		}
	}
	return Answer{tightest.Limit, tightest.Remaining, millisUp(tightest.RetryAfter), millisUp(tightest.ResetAfter)}
}

// millisUp converts nanoseconds to milliseconds, rounded up.
func millisUp(nanos int64) int64 {
	if nanos == limiters.Never {
		return nanos
	}
	return exact.CeilDiv(nanos, 1e6)
}
