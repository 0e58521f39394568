package limits

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/limiters/rules"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestReservationsMatchTheirModels: random histories of checks, charges, reservations and settlements of one limit. Some
// settlements are lost, some of these are given back, some requests are repeated, the limit changes, and the keys are dumped
// and restored.
//
// Hindsight is the history in which every reservation has its real cost from the start. With the same period, windows, sliding
// windows and logs answer exactly as hindsight does. Otherwise they never allow more, and CL.THROTTLE never does.
//
// The variable HISTORIES sets the number of histories of each limiter.
func TestReservationsMatchTheirModels(t *testing.T) {
	histories := 400
	if testing.Short() {
		histories = 60
	}
	if n, err := strconv.Atoi(os.Getenv("HISTORIES")); err == nil {
		histories = n
	}
	for _, m := range modelled {
		if m.refused {
			continue // a strict log counts limited requests
		}
		for _, changes := range []bool{false, true} {
			t.Run(fmt.Sprint(m.name, " changes=", changes), func(t *testing.T) {
				h, r := servertest.New(t), rand.New(randtest.Source(t))
				for i := range histories {
					w := &budget{walk: walk{Harness: h, Rand: r, name: m.name, model: m.model, line: m.line}, changes: changes, exact: m.name != "throttle" && !changes}
					w.p.limit = 2 + r.Int64N(12)
					w.times(m.gap, m.resolution)
					w.key = fmt.Sprint("k", i)
					w.start = h.Clock.Time
					for range 40 {
						w.budgetStep(m.gap, m.resolution)
					}
					if i%50 == 0 {
						h.Do("FLUSHALL")
					}
				}
			})
		}
	}
}

// budget is a walk with reservations.
type budget struct {
	walk
	key            string
	changes, exact bool
	held           []*held
}

// held is a reservation. Its cost in the history is the estimate until it is settled.
type held struct {
	id             string
	event          int // in the history
	end            int64
	reply, settled []any
	quantity       int64
	reserve        string
	releases       bool
}

// rule stores the rule of the present parameters.
func (w *budget) rule() {
	line := w.line(w.p)
	if w.name == "throttle" {
		w.p.period = (w.p.period/second + 1) * second
		line = fmt.Sprint("CL.THROTTLE k ", w.p.limit-1, " ", w.p.limit, " ", w.p.period/second)
	}
	w.Do("CL.RULE SET r " + strings.Replace(line, " k ", " ", 1))
	if w.remakes() {
		w.all = append(w.all, counted{at: w.Clock.Time, params: w.p, changed: true})
		w.Do(fmt.Sprint("CL.CHECK r ", w.key, " 0")) // a key that nobody asks expires by the old numbers
	}
}

func (w *budget) budgetStep(gap, resolution bool) {
	switch w.IntN(12) {
	case 0, 1, 2, 3:
		w.Clock.Advance(w.Int64N(w.p.period/w.p.limit + 1))
	case 4:
		w.Clock.Advance(w.Int64N(2 * w.p.period))
	case 5:
		w.p.limit = 2 + w.Int64N(12)
	case 6:
		if w.changes {
			w.times(gap, resolution)
		}
	case 7:
		w.restartAll()
	}
	w.release()
	w.rule()
	switch w.IntN(5) {
	case 0:
		w.ask(w.Int64N(5))
	case 1, 2:
		w.reserve(1 + w.Int64N(8))
	default:
		w.settle()
	}
}

// release gives back what nobody has settled: from its end on, it has never cost anything.
func (w *budget) release() {
	for _, one := range w.held {
		if one.releases && one.settled == nil && w.Clock.Time >= one.end {
			w.all[one.event].quantity = 0
		}
	}
}

// restartAll dumps, deletes and restores every key.
func (w *budget) restartAll() {
	for _, key := range w.Do("KEYS *" + w.key + "}*").([]any) {
		payload, at := w.Do("DUMP", key), w.Do("PEXPIRETIME", key).(int64)
		if at > w.Clock.Time/millisecond {
			w.Do("DEL", key)
			require.Equal(w.T, ok, w.Do("RESTORE", key, at, payload, "ABSTTL"))
		}
	}
}

func (w *budget) about(line string, reply any) string {
	return fmt.Sprintf("%s at %d = %d ns: %v after %v", line, w.Clock.Time, w.Clock.Time-w.start, reply, w.all)
}

// decided compares a decision with hindsight.
func (w *budget) decided(line string, reply []any, quantity int64) (allowed bool) {
	allowed = reply[0] == int64(0)
	must := w.model(w.all, w.p, w.Clock.Time, quantity)
	if w.exact {
		require.Equal(w.T, must, allowed, w.about(line, reply))
		if !allowed {
			w.checkReply(w.all, reply, quantity, w.about(line, reply))
		}
	} else if allowed {
		require.True(w.T, must, "hindsight refuses: %s", w.about(line, reply))
	}
	return allowed
}

// ask sends a check, or a charge.
func (w *budget) ask(quantity int64) {
	line := fmt.Sprint("CL.CHECK r ", w.key, " ", quantity, " MS")
	charges := w.IntN(6) == 0
	if charges {
		w.Do(line + " CHARGE")
	} else if !w.decided(line, w.Do(line).([]any), quantity) {
		return
	}
	if quantity > 0 {
		w.all = append(w.all, counted{at: w.Clock.Time, quantity: quantity, params: w.p})
		w.all[len(w.all)-1].shared = charges && !w.model(w.all, w.p, w.Clock.Time, 0)
	}
}

// reserve reserves with a new id, and sometimes repeats an old one.
func (w *budget) reserve(quantity int64) {
	if len(w.held) > 0 && w.IntN(3) == 0 {
		if old := w.held[w.IntN(len(w.held))]; w.Clock.Time < old.end {
			require.Equal(w.T, old.reply, w.Do(old.reserve), old.reserve)
		}
		return
	}
	one := &held{id: fmt.Sprint("id", len(w.held)), event: len(w.all), quantity: quantity}
	ttl := 1 + w.Int64N(3*w.p.period)
	one.end = w.Clock.Time + ttl
	one.reserve = fmt.Sprint("CL.RESERVE r ", w.key, " ", quantity, " ", one.id, " ", asDecimal(ttl), " MS")
	if one.releases = w.IntN(2) == 0; one.releases {
		one.reserve += " RELEASE"
	}
	one.reply = w.Do(one.reserve).([]any)
	if w.decided(one.reserve, one.reply, quantity) {
		w.all = append(w.all, counted{at: w.Clock.Time, quantity: quantity, params: w.p, shared: true})
		w.held = append(w.held, one)
	}
}

// settle settles a reservation, which may be settled or ended already.
func (w *budget) settle() {
	if len(w.held) == 0 {
		return
	}
	one := w.held[w.IntN(len(w.held))]
	cost := w.Int64N(10)
	if w.changes && slices.Contains([]string{"sliding", "resolution", "window", "aligned"}, w.name) {
		// With another period an estimate may count for longer than its mark says. And a shorter period may have
		// ended its window, so the rest of a larger cost begins a window that hindsight does not have.
		cost = min(cost, one.quantity)
	}
	line := fmt.Sprint("CL.SETTLE r ", w.key, " ", one.id, " ", cost, " MS")
	switch reply := w.Do(line).(type) {
	case []any:
		require.Less(w.T, w.Clock.Time, one.end, w.about(line, reply))
		if one.settled == nil {
			one.settled = reply
			w.all[one.event].quantity = cost
		}
		require.Equal(w.T, one.settled, reply, w.about(line, reply))
	default:
		require.EqualError(w.T, reply.(error), rules.ErrNoReservation.Error(), w.about(line, reply))
		require.GreaterOrEqual(w.T, w.Clock.Time, one.end, w.about(line, reply))
	}
}
