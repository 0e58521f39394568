package limits

import (
	"cellserver/internal/randtest"
	"cellserver/server/servertest"
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
	at, quantity int64
	params       // by which it was counted
	shared       bool
}

// naive says whether a quantity passes at now.
type naive func(h history, p params, now, quantity int64) bool

// params are those of one request.
type params struct{ limit, period, gap, resolution int64 } // times in ns

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

// naiveSliding is current + previous · overlap, rounded down. What was counted in windows of
// another period counts until they end.
func naiveSliding(h history, p params, now, quantity int64) bool {
	current, previous, end := int64(0), int64(0), int64(0)
	turn := func(at, period int64) {
		next := at/period*period + 2*period
		switch {
		case at >= end:
			current, previous = 0, 0
		case end == next-period:
			current, previous = 0, current
		case end != next:
			current, previous = current+previous, 0
		}
		end = next
	}
	for _, r := range h {
		turn(r.at, r.period)
		current += r.quantity
	}
	turn(now, p.period)
	return current+previous*(end-p.period-now)/p.period+quantity <= p.limit
}

// naiveLog is all within one period.
func naiveLog(h history, p params, now, quantity int64) bool {
	used, soon := int64(0), false
	for _, r := range remembered(h, now) {
		if r.at > now-p.period {
			used += r.quantity
		}
		soon = quantity > 0 && now-r.at < p.gap
	}
	return used+quantity <= p.limit && !soon
}

// remembered is what a log still has at now, each with the time of the entry that it is in.
// What counts makes it forget all that is its own period older; and the key is gone a period
// after what counted last.
func remembered(h history, now int64) (kept history) {
	gone := int64(0)
	for _, r := range h {
		if r.at >= gone {
			kept = nil
		}
		r.shared = r.resolution > 0 || len(kept) > 0 && kept[len(kept)-1].shared
		kept = slices.DeleteFunc(kept, func(o counted) bool { return o.at <= r.at-r.period })
		if n := len(kept); n > 0 && r.resolution > 0 {
			last := kept[n-1]
			for i := range kept {
				if last.shared && kept[i].shared && kept[i].at == last.at && last.at/r.resolution == r.at/r.resolution {
					kept[i].at = r.at
				}
			}
		}
		kept = append(kept, r)
		gone = (r.at+r.period+millisecond-1)/millisecond*millisecond + millisecond
	}
	if now >= gone {
		return nil
	}
	return kept
}

// naiveStrict is naiveLog of what a strict log keeps, which is enough to be full.
func naiveStrict(h history, p params, now, quantity int64) bool {
	return naiveLog(h, p, now, quantity) || quantity == 0
}

const millisecond = int64(1e6)

// modelled are the limiters with their models. The line has the limit and the period.
var modelled = []struct {
	name       string
	line       func(p params) string
	model      naive
	refused    bool // a request that is limited counts, too
	gap        bool // there is a least time between requests
	resolution bool // there may be a width of entries
}{
	{name: "throttle", model: naiveRate,
		line: func(p params) string { return fmt.Sprint("GCRA k ", p.limit-1, " ", p.limit, " ", asDecimal(p.period)) }},
	{name: "window", model: naiveWindow(func(params) int64 { return millisecond }),
		line: func(p params) string { return fmt.Sprint("CL.WINDOW k ", p.limit, " ", asDecimal(p.period)) }},
	{name: "aligned", model: naiveWindow(func(p params) int64 { return p.period }),
		line: func(p params) string { return fmt.Sprint("CL.WINDOW k ", p.limit, " ", asDecimal(p.period), " ALIGN") }},
	{name: "sliding", model: naiveSliding,
		line: func(p params) string { return fmt.Sprint("CL.SLIDING k ", p.limit, " ", asDecimal(p.period)) }},
	{name: "log", model: naiveLog, line: logLine("")},
	{name: "gap", gap: true, model: naiveLog, line: logLine("")},
	{name: "resolution", gap: true, resolution: true, model: naiveLog, line: logLine("")},
	{name: "strict", model: naiveStrict, refused: true, gap: true, line: logLine(" STRICT")},
}

// logLine is CL.LOG with the options that its parameters have, and others.
func logLine(others string) func(p params) string {
	return func(p params) string {
		line := fmt.Sprint("CL.LOG k ", p.limit, " ", asDecimal(p.period), others)
		if p.gap > 0 {
			line += " GAP " + asDecimal(p.gap)
		}
		if p.resolution > 0 {
			line += " RESOLUTION " + asDecimal(p.resolution)
		}
		return line
	}
}

// asDecimal spells nanoseconds as seconds.
func asDecimal(ns int64) string { return fmt.Sprintf("%d.%09d", ns/1e9, ns%1e9) }

// TestLimitersAsTheirModels walks every limiter through random times and quantities, limits
// and periods that change, and restarts, beside its model: it never admits more and never
// refuses what it must admit, and all that it says is true.
func TestLimitersAsTheirModels(t *testing.T) {
	for _, m := range modelled {
		t.Run(m.name, func(t *testing.T) {
			r := rand.New(randtest.Source(t))
			runs := 60
			if testing.Short() {
				runs = 12
			}
			for range runs {
				w := walk{Harness: servertest.New(t), Rand: r, name: m.name, model: m.model, line: m.line}
				w.p.limit = 1 + r.Int64N(8)
				w.times(m.gap, m.resolution)
				w.h0 = w.Clock.Time
				for range 150 {
					w.step(m.refused)
					if r.IntN(10) == 0 {
						w.times(m.gap, m.resolution)
					}
				}
			}
		})
	}
}

// walk is one limiter's key and its model.
type walk struct {
	*servertest.Harness
	*rand.Rand
	name  string
	model naive
	line  func(p params) string
	p     params
	all   history
	h0    int64
}

// times changes the period and what depends on it.
func (w *walk) times(gap, resolution bool) {
	w.p.period = (1 + w.Int64N(4000)) * millisecond
	if w.IntN(2) == 0 { // windows of several periods end at the same time now and then
		w.p.period = (1 + w.Int64N(4)) * 1000 * millisecond
	}
	if gap {
		w.p.gap = w.Int64N(w.p.period/w.p.limit + 1)
	}
	if resolution {
		w.p.resolution = w.Int64N(2) * (1 + w.Int64N(w.p.period))
	}
}

// step moves the time, sometimes the limit, and asks.
func (w *walk) step(refused bool) {
	switch w.IntN(10) {
	case 0, 1, 2:
		w.Clock.Advance(w.Int64N(w.p.period/w.p.limit + 1))
	case 3:
		w.Clock.Advance(w.Int64N(2 * w.p.period))
	case 4:
		w.restart()
	case 5:
		if !refused { // a strict log has forgotten what makes no difference to the limit
			w.p.limit = 1 + w.Int64N(8)
		}
	}
	quantity := w.Int64N(4)
	if w.IntN(10) == 0 {
		quantity = w.Int64N(12)
	}
	w.ask(quantity, w.IntN(8) == 0, refused)
}

// restart moves the key out and in again, as a snapshot does. In the millisecond of its expiry, in
// which a key is still there, RESTORE would not bring it back.
func (w *walk) restart() {
	payload, at := w.Do("DUMP k"), w.Do("PEXPIRETIME k")
	if at.(int64) <= w.Clock.Time/millisecond {
		return
	}
	w.Want("DEL k", 1)
	require.Equal(w.T, ok, w.Do("RESTORE", "k", at, payload, "ABSTTL"))
}

// ask asks for a quantity and compares everything that the reply says.
func (w *walk) ask(quantity int64, peek, refused bool) {
	now, line := w.Clock.Time, w.line(w.p)
	w.Do("EXISTS k") // what is over is removed here, which is a change of its own
	changes := w.Server.Changes()
	if w.name == "throttle" {
		line += " TOKENS"
	}
	asked := w.words(line, quantity) + " MS"
	if peek {
		asked += " PEEK"
	}
	reply := w.Do(asked).([]any)
	limited := reply[0] == int64(1)
	about := fmt.Sprintf("%s at %d ns: %v after %v", asked, now-w.h0, reply, w.all)
	require.Equal(w.T, !w.model(w.all, w.p, now, quantity), limited, about)

	written := w.Server.Changes() > changes
	counts := !peek && quantity > 0 && (!limited || refused)
	require.Equal(w.T, counts, written, about)
	after := w.all
	if quantity > 0 && (!limited || refused) {
		after = append(after[:len(after):len(after)], counted{at: now, quantity: min(quantity, w.p.limit), params: w.p})
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
	now, limit := w.Clock.Time, w.p.limit
	require.Equal(w.T, limit, reply[1], about)
	passes := func(at, quantity int64) bool { return w.model(h, w.p, at, quantity) }
	p := w.p
	p.gap = 0 // nobody asks whether all of the limit fits in a gap
	most := int64(0)
	for most < limit && w.model(h, p, now, most+1) {
		most++
	}
	require.Equal(w.T, most, reply[2], "remaining: %s", about)
	retry := reply[3].(int64)
	require.Equal(w.T, reply[0] == int64(1) && quantity <= limit, retry >= 0, about)
	if retry >= 0 {
		require.True(w.T, passes(now+retry*millisecond, quantity), "too early: %s", about)
		require.False(w.T, passes(now+(retry-1)*millisecond, quantity), "too late: %s", about)
	}
	reset := reply[4].(int64)
	require.True(w.T, w.model(h, p, now+reset*millisecond, limit), "not all is back: %s", about)
	if reset > 0 {
		require.False(w.T, w.model(h, p, now+(reset-1)*millisecond, limit), "all was back: %s", about)
	}
}
