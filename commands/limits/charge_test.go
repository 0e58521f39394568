package limits

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestCheckCharge: a charge counts whatever is left, in all limits of the rule.
func TestCheckCharge(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_040_000_000_000)
	h.Do("CL.RULE SET r CL.WINDOW 10 60 AND CL.SLIDING 10 60 AND CL.LOG 10 60 AND CL.THROTTLE 9 1 1")
	h.Want("CL.CHECK r k 4 CHARGE", []any{0, 10, 6, -1, 106})
	h.Want("CL.CHECK r k 7", []any{1, 10, 6, 61, 106})
	for _, words := range []string{"10 CHARGE PEEK", "10 CHARGE", "0 CHARGE"} {
		h.Want("CL.CHECK r k "+words, []any{1, 10, -4, 78, 116})
	}
	h.Want("CL.CHECK r k 0", []any{1, 10, 0, 73, 116})
	h.Advance(5 * time.Second)
	h.Want("CL.CHECK r k", []any{1, 10, 0, 73, 111})
	require.Equal(t, "allowed=1,limited=3,shadow_limited=0", h.Info("throttle")["rule_r"])
	h.Advance(113 * time.Second)
	h.Want("CL.CHECK r k 10", []any{0, 10, 0, -1, 60})
}

// TestChargesAreExact: counts are exact up to the largest integer, and more is an error.
func TestChargesAreExact(t *testing.T) {
	const most = math.MaxInt64
	for limiter, tooMuch := range map[string]commands.Error{
		"CL.WINDOW":  "ERR quantity '1' is too large: the count would exceed 9223372036854775807",
		"CL.SLIDING": "ERR quantity '1' is too large: the count would exceed 9223372036854775807",
		"CL.LOG":     "ERR quantity '1' is too large: the sum of the log would exceed 9223372036854775807",
	} {
		h := servertest.New(t)
		h.Clock.Time = 1_790_000_040_000_000_000
		h.Do("CL.RULE SET r " + limiter + " 999999999 60")
		remaining := func(line string) int64 { return h.Do(line).([]any)[2].(int64) }
		require.EqualValues(t, 999_999_999-5, remaining("CL.CHECK r k 5"), limiter)
		require.EqualValues(t, 999_999_999-most+1, remaining(fmt.Sprint("CL.CHECK r k ", most-6, " CHARGE")), limiter)
		payload := h.Do("DUMP r:{k}:" + map[string]string{"CL.WINDOW": "window", "CL.SLIDING": "sliding", "CL.LOG": "log"}[limiter])
		require.NotNil(t, payload)
		require.EqualValues(t, 999_999_999-most, remaining("CL.CHECK r k 1 CHARGE"), limiter)
		h.Want("CL.CHECK r k 1 CHARGE", tooMuch)
		require.EqualValues(t, 999_999_999-most, remaining("CL.CHECK r k 0 CHARGE"), limiter)
		h.Advance(121 * time.Second)
		require.EqualValues(t, 999_999_998, remaining("CL.CHECK r k"), limiter)
	}
}

// TestChargedLogIsBounded: charges of a full log join its newest entry.
func TestChargedLogIsBounded(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.LOG 1 60")
	for range 1050 {
		h.Advance(1000)
		h.Do("CL.CHECK r k 2 CHARGE")
	}
	h.Want("ZCARD r:{k}:log", 1000)
	h.Want("CL.CHECK r k 0 CHARGE", []any{1, 1, 1 - 2100, 60, 60})
}

// TestChargesMatchTheirModels: checks and charges of every limiter, in random order.
func TestChargesMatchTheirModels(t *testing.T) {
	for _, m := range modelled {
		if m.name == "strict" {
			continue // its limited requests count
		}
		t.Run(m.name, func(t *testing.T) {
			r := rand.New(randtest.Source(t))
			runs := 40
			if testing.Short() {
				runs = 8
			}
			for range runs {
				w := walk{Harness: servertest.New(t), Rand: r, name: m.name, model: m.model, line: m.line}
				w.p.limit = 1 + r.Int64N(8)
				w.times(m.gap, m.resolution)
				w.start = w.Clock.Time
				for range 120 {
					w.chargeStep(m.gap, m.resolution)
				}
			}
		})
	}
}

// chargeStep moves the clock, sometimes changes the rule, and checks or charges.
func (w *walk) chargeStep(gap, resolution bool) {
	switch w.IntN(10) {
	case 0, 1, 2:
		w.Clock.Advance(w.Int64N(w.p.period/w.p.limit + 1))
	case 3:
		w.Clock.Advance(w.Int64N(3 * w.p.period))
	case 4:
		w.p.limit = 1 + w.Int64N(8)
	case 5:
		w.times(gap, resolution)
	}
	line := w.line(w.p)
	if w.name == "throttle" { // a rule has CL.THROTTLE, and whole seconds
		w.p.period = (w.p.period/second + 1) * second
		line = fmt.Sprint("CL.THROTTLE k ", w.p.limit-1, " ", w.p.limit, " ", w.p.period/second)
	}
	if w.remakes() {
		w.all = append(w.all, counted{at: w.Clock.Time, params: w.p, changed: true})
	}
	w.Do("CL.RULE SET r " + strings.Replace(line, " k ", " ", 1))
	if w.IntN(2) == 0 {
		w.charge(w.Int64N(20), w.IntN(8) == 0)
		return
	}
	quantity, now := w.Int64N(5), w.Clock.Time
	reply := w.Do(fmt.Sprint("CL.CHECK r k ", quantity, " MS")).([]any)
	about := fmt.Sprintf("%d at %d ns: %v after %v", quantity, now-w.start, reply, w.all)
	limited := reply[0] == int64(1)
	require.Equal(w.T, !w.model(w.all, w.p, now, quantity), limited, about)
	if quantity > 0 && !limited {
		w.all = append(w.all, counted{at: now, quantity: quantity, params: w.p})
	}
	w.checkReply(w.all, reply, quantity, about)
}

const second = 1000 * millisecond

// charge sends a charge and compares the whole reply with the model.
func (w *walk) charge(quantity int64, peek bool) {
	now, line := w.Clock.Time, fmt.Sprint("CL.CHECK r k ", quantity, " CHARGE MS")
	if peek {
		line += " PEEK"
	}
	reply := w.Do(line).([]any)
	about := fmt.Sprintf("%s at %d ns: %v after %v", line, now-w.start, reply, w.all)
	after := w.all
	if quantity > 0 {
		after = append(after[:len(after):len(after)], counted{at: now, quantity: quantity, params: w.p})
		after[len(after)-1].shared = !w.model(after, w.p, now, 0)
	}
	if !peek {
		w.all = after
	}
	within := w.model(after, w.p, now, 0)
	require.Equal(w.T, !within, reply[0] == int64(1), about)
	if within {
		w.checkReply(after, reply, quantity, about)
		return
	}
	debt := int64(1)
	for !w.model(after, w.p, now, -debt) {
		debt++
	}
	require.Equal(w.T, -debt, reply[2], "remaining: %s", about)
	retry := reply[3].(int64)
	require.True(w.T, w.model(after, w.p, now+retry*millisecond, 1), "too early: %s", about)
	require.False(w.T, w.model(after, w.p, now+(retry-1)*millisecond, 1), "too late: %s", about)
}
