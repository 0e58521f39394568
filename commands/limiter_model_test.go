package commands

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A history keeps every request that counted, and answers from all of them, each time anew:
// slowly, and with nothing in common with the limiters but what they promise.
type history []counted

type counted struct {
	at, quantity  int64
	limit, period int64 // by which it was counted
}

// naive says whether a quantity passes at now.
type naive func(h history, p params, now, quantity int64) bool

// params are those of one request.
type params struct{ limit, period, gap int64 } // period and gap in ns

// naiveRate is a bucket of limit which refills limit in period (max_burst is limit-1).
func naiveRate(h history, p params, now, quantity int64) bool {
	return naiveTAT(h, now)+(quantity-p.limit)*(p.period/p.limit) <= now
}

func naiveTAT(h history, now int64) int64 {
	tat := int64(0)
	for _, r := range h {
		tat = max(tat, r.at) + r.quantity*(r.period/r.limit)
	}
	return max(tat, now)
}

// naiveWindow is a window from the first request on, which begins at a unit of time.
func naiveWindow(unit func(p params) int64) naive {
	return func(h history, p params, now, quantity int64) bool {
		end, used := int64(0), int64(0)
		for _, r := range h {
			if r.at >= end {
				u := unit(params{period: r.period})
				end, used = r.at/u*u+r.period, 0
			}
			used += r.quantity
		}
		if now >= end {
			used = 0
		}
		return used+quantity <= p.limit
	}
}

// naiveSliding is current + previous · overlap, rounded down.
func naiveSliding(h history, p params, now, quantity int64) bool {
	start := now / p.period * p.period
	current, previous := int64(0), int64(0)
	for _, r := range h {
		switch r.at / p.period * p.period {
		case start:
			current += r.quantity
		case start - p.period:
			previous += r.quantity
		}
	}
	return current+previous*(start+p.period-now)/p.period+quantity <= p.limit
}

// naiveLog is all within one period.
func naiveLog(h history, p params, now, quantity int64) bool {
	used := int64(0)
	for _, r := range h {
		if r.at > now-p.period {
			used += r.quantity
		}
	}
	soon := quantity > 0 && len(h) > 0 && now-h[len(h)-1].at < p.gap
	return used+quantity <= p.limit && !soon
}

// naiveStrict is naiveLog of what a strict log keeps, which is enough to be full.
func naiveStrict(h history, p params, now, quantity int64) bool {
	return naiveLog(h, p, now, quantity) || quantity == 0
}

const millisecond = int64(1e6)

// modelled are the limiters with their models. The line has the limit and the period.
var modelled = []struct {
	name    string
	line    func(p params) string
	model   naive
	refused bool // a request that is limited counts, too
	periods bool // the period may change meanwhile
	gap     bool // there is a least time between requests
}{
	{name: "throttle", periods: true, model: naiveRate,
		line: func(p params) string { return fmt.Sprint("GCRA k ", p.limit-1, " ", p.limit, " ", decimal(p.period)) }},
	{name: "window", model: naiveWindow(func(params) int64 { return millisecond }), periods: true,
		line: func(p params) string { return fmt.Sprint("CL.WINDOW k ", p.limit, " ", decimal(p.period)) }},
	{name: "aligned", model: naiveWindow(func(p params) int64 { return p.period }), periods: true,
		line: func(p params) string { return fmt.Sprint("CL.WINDOW k ", p.limit, " ", decimal(p.period), " ALIGN") }},
	{name: "sliding", model: naiveSliding,
		line: func(p params) string { return fmt.Sprint("CL.SLIDING k ", p.limit, " ", decimal(p.period)) }},
	{name: "log", model: naiveLog,
		line: func(p params) string { return fmt.Sprint("CL.LOG k ", p.limit, " ", decimal(p.period)) }},
	{name: "gap", gap: true, model: naiveLog,
		line: func(p params) string {
			return fmt.Sprint("CL.LOG k ", p.limit, " ", decimal(p.period), " GAP ", decimal(p.gap))
		}},
	{name: "strict", model: naiveStrict, refused: true, gap: true,
		line: func(p params) string {
			return fmt.Sprint("CL.LOG k ", p.limit, " ", decimal(p.period), " STRICT GAP ", decimal(p.gap))
		}},
}

// decimal spells nanoseconds as seconds.
func decimal(ns int64) string { return fmt.Sprintf("%d.%09d", ns/1e9, ns%1e9) }

// TestLimitersAsTheirModels walks every limiter through random times and quantities, limits
// and periods that change, and restarts, beside its model: it never admits more and never
// refuses what it must admit, and all that it says is true.
func TestLimitersAsTheirModels(t *testing.T) {
	for _, m := range modelled {
		t.Run(m.name, func(t *testing.T) {
			r := rand.New(newSeed(t))
			runs := 60
			if testing.Short() {
				runs = 12
			}
			for range runs {
				w := walk{harness: newHarness(t), Rand: r, name: m.name, model: m.model, line: m.line}
				w.p = params{limit: 1 + r.Int64N(8), period: (1 + r.Int64N(4000)) * millisecond}
				if m.gap {
					w.p.gap = 1 + r.Int64N(w.p.period)
				}
				w.h0 = w.clock.now
				for range 150 {
					w.step(m.refused, m.periods)
				}
			}
		})
	}
}

// walk is one limiter's key and its model.
type walk struct {
	*harness
	*rand.Rand
	name  string
	model naive
	line  func(p params) string
	p     params
	all   history
	h0    int64
}

// step moves the time, sometimes the parameters, and asks.
func (w *walk) step(refused, periods bool) {
	switch w.IntN(10) {
	case 0, 1, 2:
		w.clock.Advance(w.Int64N(w.p.period/w.p.limit + 1))
	case 3:
		w.clock.Advance(w.Int64N(2 * w.p.period))
	case 4:
		w.restart()
	case 5:
		if !refused { // a strict log has forgotten what makes no difference to the limit
			w.p.limit = 1 + w.Int64N(8)
		}
	case 6:
		if periods {
			w.p.period = (1 + w.Int64N(4000)) * millisecond
		}
	}
	quantity := w.Int64N(4)
	if w.IntN(10) == 0 {
		quantity = w.Int64N(12)
	}
	w.ask(quantity, w.IntN(8) == 0, refused)
}

// restart moves the key out and in again, as a snapshot does.
func (w *walk) restart() {
	payload, at := w.do("DUMP k"), w.do("PEXPIRETIME k")
	if at.(int64) < 0 {
		return
	}
	w.want("DEL k", 1)
	require.Equal(w.t, ok, w.do("RESTORE", "k", at, payload, "ABSTTL"))
}

// ask asks for a quantity and compares everything that the reply says.
func (w *walk) ask(quantity int64, peek, refused bool) {
	now, line := w.clock.now, w.line(w.p)
	w.do("EXISTS k") // what is over is removed here, which is a change of its own
	changes := w.server.totals.changes.Load()
	if w.name == "throttle" {
		line += " TOKENS"
	}
	asked := w.words(line, quantity) + " MS"
	if peek {
		asked += " PEEK"
	}
	reply := w.do(asked).([]any)
	limited := reply[0] == int64(1)
	about := fmt.Sprintf("%s at %d ns: %v after %v", asked, now-w.h0, reply, w.all)
	require.Equal(w.t, !w.model(w.all, w.p, now, quantity), limited, about)

	written := w.server.totals.changes.Load() > changes
	counts := !peek && quantity > 0 && (!limited || refused)
	require.Equal(w.t, counts, written, about)
	after := w.all
	if quantity > 0 && (!limited || refused) {
		after = append(after[:len(after):len(after)], counted{now, min(quantity, w.p.limit), w.p.limit, w.p.period})
	}
	w.truth(after, reply, quantity, about)
	if counts {
		w.all = after
	}
}

// words puts a quantity behind the two parameters of a limiter, or at the end of GCRA's.
func (w *walk) words(line string, quantity int64) string {
	if w.name == "throttle" {
		return fmt.Sprint(line, " ", quantity)
	}
	f := strings.Fields(line)
	f = slices.Insert(f, 4, fmt.Sprint(quantity))
	return strings.Join(f, " ")
}

// truth holds remaining, retry_after and reset_after to what the model will say: then, and a
// millisecond earlier.
func (w *walk) truth(h history, reply []any, quantity int64, about string) {
	now, limit := w.clock.now, w.p.limit
	require.Equal(w.t, limit, reply[1], about)
	passes := func(at, quantity int64) bool { return w.model(h, w.p, at, quantity) }
	p := w.p
	p.gap = 0 // nobody asks whether all of the limit fits in a gap
	most := int64(0)
	for most < limit && w.model(h, p, now, most+1) {
		most++
	}
	require.Equal(w.t, most, reply[2], "remaining: %s", about)
	retry := reply[3].(int64)
	require.Equal(w.t, reply[0] == int64(1) && quantity <= limit, retry >= 0, about)
	if retry >= 0 {
		require.True(w.t, passes(now+retry*millisecond, quantity), "too early: %s", about)
		require.False(w.t, passes(now+(retry-1)*millisecond, quantity), "too late: %s", about)
	}
	reset := reply[4].(int64)
	require.True(w.t, w.model(h, p, now+reset*millisecond, limit), "not all is back: %s", about)
	if reset > 0 {
		require.False(w.t, w.model(h, p, now+(reset-1)*millisecond, limit), "all was back: %s", about)
	}
}
