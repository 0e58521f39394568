package account

import (
	"math"
	"math/rand/v2"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// TestHostileAnswers gives accounts answers of any numbers, in any order. No account spends more than it has asked for, holds
// more than four leases, or answers in numbers that no limiter has.
func TestHostileAnswers(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 400 {
		h := &hostileHub{t: t, r: r, now: Time{5_000_000, 1_790_000_000_000_000}}
		h.table = NewTable(Settings{Lease: 1000, Interval: int64(100 * r.IntN(2)), Keys: 4})
		h.account = h.table.Account("ann", []byte("cl.throttle k 99 100 1"))
		if h.table.settings.Interval > 0 {
			h.account.Report([]int64{OnlyHub, 0, 1, 600_000_000, math.MaxInt64}[r.IntN(5)])
		}
		for range 300 {
			h.step()
		}
	}
}

// hostileHub answers the questions of an account as it likes.
type hostileHub struct {
	t       *testing.T
	r       *rand.Rand
	now     Time
	table   *Table
	account *Account
	asks    []Ask
	wanted  int64 // units of leases
	waiting []int64
}

// number returns a number that is often near an end of int64, or near 0.
func (h *hostileHub) number() int64 {
	few := int64(h.r.IntN(5) - 2)
	return []int64{few, few, math.MaxInt64 - few - 2, math.MinInt64 + few + 2, int64(h.r.Uint64()), int64(h.r.IntN(2000))}[h.r.IntN(6)]
}

func (h *hostileHub) answer() Answer {
	return Answer{h.number(), h.number(), h.number(), h.number()}
}

// step lets a client ask, the hub answer, or time pass.
func (h *hostileHub) step() {
	a, departed := h.account, h.now
	quantity := []int64{1, 1, 1, 2, 1 << 40, math.MaxInt64}[h.r.IntN(6)]
	switch h.r.IntN(8) {
	case 0, 1, 2:
		verdict, answer := a.Take(h.now, quantity)
		if h.took(verdict, answer); verdict == Wait {
			h.waiting = append(h.waiting, quantity)
		}
	case 3:
		a.Passed(h.now, departed, quantity, h.r.IntN(2) == 0, h.answer())
	case 4:
		h.reply()
	case 5:
		verdict, answer := a.WithoutHub(h.now, quantity, Policy(h.r.IntN(3)), h.number())
		h.took(min(verdict, Refused), answer)
	case 6:
		if _, answer, ok := a.Look(h.now, quantity); ok {
			h.checkAnswer(answer)
		}
	case 7:
		h.now.Boot += int64(h.r.IntN(200_000))
		h.now.Wall += int64(h.r.IntN(200_000))
		h.table.Tick(h.now, func(_ *Account, ask Ask) { h.asks = append(h.asks, ask) })
	}
	if ask, ok := a.NextAsk(h.now); ok {
		h.wanted += ask.Want
		h.asks = append(h.asks, ask)
	}
}

// reply answers the first question, and those who wait for it.
func (h *hostileHub) reply() {
	if len(h.asks) == 0 {
		return
	}
	ask := h.asks[0]
	h.asks = h.asks[1:]
	switch fails := h.r.IntN(8); {
	case fails == 0:
		h.account.Failed(h.now, ask)
	case fails == 1:
		h.account.Lost(h.now, ask)
	case ask.IsCharge:
		h.account.Charged(h.now, ask, h.answer())
	default:
		h.account.Granted(h.now, ask, Grant{h.number(), h.number(), h.number(), h.number(), h.number(), h.number(), h.number()})
	}
	for _, quantity := range h.waiting {
		verdict, answer := h.account.Again(h.now, quantity)
		h.took(min(verdict, Refused), answer)
	}
	h.waiting = nil
}

// took checks what the account has done.
func (h *hostileHub) took(verdict Verdict, answer Answer) {
	if verdict == Local || verdict == Refused {
		h.checkAnswer(answer)
	}
	f, left := h.table.Figures, h.account.left()
	require.GreaterOrEqual(h.t, left, int64(0))
	if h.table.settings.Interval == 0 {
		require.LessOrEqual(h.t, f.Spent+left, h.wanted)
		require.LessOrEqual(h.t, f.Leased, h.wanted)
		require.LessOrEqual(h.t, f.Spent+left+f.Stranded, f.Leased)
	}
	require.LessOrEqual(h.t, h.account.view().owed(), int64(mostOwed))
	if h.account.held != nil {
		require.LessOrEqual(h.t, len(h.account.held.leases), mostLeases)
	}
}

func (h *hostileHub) checkAnswer(a Answer) {
	require.GreaterOrEqual(h.t, a.Limit, int64(0))
	require.GreaterOrEqual(h.t, a.Remaining, int64(0))
	require.GreaterOrEqual(h.t, a.RetryAfter, int64(-1))
	require.GreaterOrEqual(h.t, a.ResetAfter, int64(0))
}

// TestShareOfAFastLimit: a limit that comes back too soon for a lease has a share while the hub is lost.
func TestShareOfAFastLimit(t *testing.T) {
	s := newStory(t)
	s.wantTake(Wait, 1)
	s.lease(Grant{0, 100, 100, -1, 0, 0, 1})
	verdict, answer := s.WithoutHub(s.now, 1, Share, 4)
	require.Equal(t, Local, verdict)
	require.Equal(t, Answer{100, 24, -1, 1}, answer)
}

// TestSharesOfASmallLimit: with more sidecars than units, each of them has one unit, and all of them together get back what the
// limit gets back.
func TestSharesOfASmallLimit(t *testing.T) {
	const sidecars, limit, seconds = 50, 5, 60
	admitted := 0
	for range sidecars {
		s := newStory(t)
		s.Passed(s.now, s.now, 1, false, Answer{limit, limit - 1, -1, 200})
		s.TellPeriod(1e9)
		for range 10 * seconds {
			if verdict, answer := s.WithoutHub(s.now, 1, Share, sidecars); verdict == Local {
				admitted++
			} else {
				require.Positive(t, answer.RetryAfter)
			}
			s.pass(100)
		}
	}
	require.LessOrEqual(t, admitted, sidecars+limit*seconds)
	require.GreaterOrEqual(t, admitted, limit*seconds)
}

// TestShareOfAWindow: a limit whose replies say only when the window ends has a share of its whole period.
func TestShareOfAWindow(t *testing.T) {
	s := newStory(t)
	s.Passed(s.now, s.now, 1, false, Answer{100, 40, -1, 1000}) // the last second of an hour
	require.True(t, s.WantsPeriod())
	s.TellPeriod(3600e9)
	s.Passed(s.now, s.now, 1, false, Answer{100, 39, -1, 999})
	require.False(t, s.WantsPeriod())
	admitted := 0
	for range 3600 {
		if verdict, _ := s.WithoutHub(s.now, 1, Share, 2); verdict == Local {
			admitted++
		}
		s.pass(1000)
	}
	require.InDelta(t, 50+50, admitted, 1)
}
