package limits

import (
	"cellserver/internal/randtest"
	"cellserver/server/servertest"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A history has every request that counted. Models compute each answer from the whole history. They
// share no code with the limiters.
type history []counted

type counted struct {
	at, quantity int64
	params       // of the request
	shared       bool
	changed      bool // no request: from now on a rule has these parameters
}

// naive reports whether a quantity passes at now.
type naive func(h history, p params, now, quantity int64) bool

// params are the parameters of one request.
type params struct{ limit, period, gap, resolution int64 } // times in ns

// naiveRate is a bucket with limit tokens, which refills in one period (max_burst is limit-1).
func naiveRate(h history, p params, now, quantity int64) bool {
	return naiveTAT(h, now)+(quantity-p.limit)*(p.period/p.limit) <= now
}

func naiveTAT(h history, now int64) int64 {
	tat := int64(0)
	for i, r := range h {
		interval := r.period / r.limit
		if r.changed && i > 0 { // the same number of requests at another interval, and a burst at most but for charges
			was := h[i-1].period / h[i-1].limit
			debt := max(tat-r.at, 0)
			burst := min(debt, was*h[i-1].limit)
			scaled := func(debt int64) int64 { // rounded up
				product := new(big.Int).Mul(big.NewInt(debt), big.NewInt(interval))
				product.Add(product, big.NewInt(was-1))
				return product.Div(product, big.NewInt(was)).Int64()
			}
			tat = r.at + min(scaled(burst), interval*r.limit)
			if beyond := debt - burst; beyond > 0 {
				tat += scaled(beyond)
			}
			continue
		}
		tat = max(tat, r.at) + r.quantity*interval
	}
	return max(tat, now)
}

// naiveWindow is a fixed window. It begins at the multiple of a unit of time before its first
// request.
func naiveWindow(unit func(p params) int64) naive {
	return func(h history, p params, now, quantity int64) bool {
		end, used := int64(0), int64(0)
		for _, r := range h {
			if r.changed { // a longer period has counted the window
				u := unit(params{period: r.period})
				if end-r.at > r.period && end > (r.at+lag)/u*u+r.period {
					end = r.at/u*u + r.period
				}
				continue
			}
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

// naiveSliding is current + previous · overlap, rounded down. Actions that were counted with
// another period count until their windows end.
func naiveSliding(h history, p params, now, quantity int64) bool {
	current, previous, end := int64(0), int64(0), int64(0)
	turn := func(at, period int64) {
		next := at/period*period + 2*period
		switch {
		case at >= end:
			current, previous = 0, 0
		case end == next-period:
			current, previous = 0, current
		case end-period == next && next-period-at <= lag: // it counts in the next window
			return
		case end != next:
			current, previous = current+previous, 0
		}
		end = next
	}
	for _, r := range h {
		if r.changed { // a longer period has counted them
			if end-r.at > 2*r.period && end > (r.at+lag)/r.period*r.period+2*r.period {
				current, previous, end = current+previous, 0, r.at/r.period*r.period+2*r.period
			}
			continue
		}
		turn(r.at, r.period)
		current += r.quantity
	}
	turn(now, p.period)
	return current+previous*min(end-p.period-now, p.period)/p.period+quantity <= p.limit
}

// naiveLog counts all actions within one period.
func naiveLog(h history, p params, now, quantity int64) bool {
	used, soon := int64(0), false
	for _, r := range remembered(h, now) {
		if r.at > now-p.period {
			used += r.quantity
		}
		if r.quantity > 0 { // a reservation that cost nothing leaves no entry
			soon = quantity > 0 && now-r.at < p.gap
		}
	}
	return used+quantity <= p.limit && !soon
}

// remembered returns the entries of a log at now. A logged action drops the actions that are its
// own period older. The key expires a period after the last logged action.
func remembered(h history, now int64) (kept history) {
	gone := int64(0)
	for _, r := range h {
		if r.at >= gone {
			kept = nil
		}
		r.shared = r.shared || r.resolution > 0 || sharedLast(kept)
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

// sharedLast reports whether the last entry is shared. A reservation that cost nothing leaves no entry.
func sharedLast(kept history) bool {
	for _, o := range slices.Backward(kept) {
		if o.quantity > 0 {
			return o.shared
		}
	}
	return false
}

// naiveStrict is naiveLog over the entries of a strict log.
func naiveStrict(h history, p params, now, quantity int64) bool {
	return naiveLog(h, p, now, quantity) || quantity == 0
}

const millisecond = int64(1e6)

// lag is by how much the clock of a request may be behind that of an earlier one.
const lag = int64(10e9) - 1

// remakes reports whether a limiter converts its states when its rule changes.
func (w *walk) remakes() bool {
	return slices.Contains([]string{"throttle", "window", "aligned", "sliding"}, w.name)
}

// modelled has the limiters with their models. line returns a command with limit and period.
var modelled = []struct {
	name       string
	line       func(p params) string
	model      naive
	refused    bool // limited requests count, too
	gap        bool // with the option GAP
	resolution bool // with the option RESOLUTION
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

// logLine returns CL.LOG with the options of its parameters and others.
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

// asDecimal formats nanoseconds as decimal seconds.
func asDecimal(ns int64) string { return fmt.Sprintf("%d.%09d", ns/1e9, ns%1e9) }

// TestLimitersMatchTheirModels compares every limiter with its model. Times, quantities, limits and
// periods are random, and the key is dumped and restored now and then. Each decision and each
// number of the reply must match.
func TestLimitersMatchTheirModels(t *testing.T) {
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
				w.start = w.Clock.Time
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

// walk is one key of a limiter, with its model and its random source.
type walk struct {
	*servertest.Harness
	*rand.Rand
	name  string
	model naive
	line  func(p params) string
	p     params
	all   history
	start int64
}

// times changes the period, the gap and the resolution.
func (w *walk) times(gap, resolution bool) {
	w.p.period = (1 + w.Int64N(4000)) * millisecond
	if w.IntN(2) == 0 { // whole seconds: windows of different periods end at the same time now and then
		w.p.period = (1 + w.Int64N(4)) * 1000 * millisecond
	}
	if w.IntN(4) == 0 { // so that it is longer than others by more than the lag
		w.p.period *= 20
	}
	if gap {
		w.p.gap = w.Int64N(w.p.period/w.p.limit + 1)
	}
	if resolution {
		w.p.resolution = w.Int64N(2) * (1 + w.Int64N(w.p.period))
	}
}

// step moves the clock, sometimes changes the limit, and sends a request.
func (w *walk) step(refused bool) {
	switch w.IntN(10) {
	case 0, 1, 2:
		w.Clock.Advance(w.Int64N(w.p.period/w.p.limit + 1))
	case 3:
		w.Clock.Advance(w.Int64N(2 * w.p.period))
	case 4:
		w.restart()
	case 5:
		if !refused { // a strict log lacks entries that only a larger limit needs
			w.p.limit = 1 + w.Int64N(8)
		}
	}
	quantity := w.Int64N(4)
	if w.IntN(10) == 0 {
		quantity = w.Int64N(12)
	}
	w.ask(quantity, w.IntN(8) == 0, refused)
}

// restart dumps, deletes and restores the key. A key still exists in the millisecond of its expiry,
// but RESTORE would not restore it then.
func (w *walk) restart() {
	payload, at := w.Do("DUMP k"), w.Do("PEXPIRETIME k")
	if at.(int64) <= w.Clock.Time/millisecond {
		return
	}
	w.Want("DEL k", 1)
	require.Equal(w.T, ok, w.Do("RESTORE", "k", at, payload, "ABSTTL"))
}

// ask sends a request and compares the whole reply with the model.
func (w *walk) ask(quantity int64, peek, refused bool) {
	now, line := w.Clock.Time, w.line(w.p)
	w.Do("EXISTS k") // removes the key if it has expired, so that this change does not count below
	changes := w.Store.Changes()
	if w.name == "throttle" {
		line += " TOKENS"
	}
	asked := w.words(line, quantity) + " MS"
	if peek {
		asked += " PEEK"
	}
	reply := w.Do(asked).([]any)
	limited := reply[0] == int64(1)
	about := fmt.Sprintf("%s at %d ns: %v after %v", asked, now-w.start, reply, w.all)
	require.Equal(w.T, !w.model(w.all, w.p, now, quantity), limited, about)

	written := w.Store.Changes() > changes
	counts := !peek && quantity > 0 && (!limited || refused)
	require.Equal(w.T, counts, written, about)
	after := w.all
	if quantity > 0 && (!limited || refused) {
		after = append(after[:len(after):len(after)], counted{at: now, quantity: min(quantity, w.p.limit), params: w.p})
	}
	w.checkReply(after, reply, quantity, about)
	if counts {
		w.all = after
	}
}

// words adds a quantity after the two parameters of a limiter, or at the end for GCRA.
func (w *walk) words(line string, quantity int64) string {
	if w.name == "throttle" {
		return fmt.Sprint(line, " ", quantity)
	}
	f := strings.Fields(line)
	f = slices.Insert(f, 4, fmt.Sprint(quantity))
	return strings.Join(f, " ")
}

// checkReply compares remaining, retry_after and reset_after with the model: at that time, and a
// millisecond earlier.
func (w *walk) checkReply(h history, reply []any, quantity int64, about string) {
	now, limit := w.Clock.Time, w.p.limit
	require.Equal(w.T, limit, reply[1], about)
	passes := func(at, quantity int64) bool { return w.model(h, w.p, at, quantity) }
	p := w.p
	p.gap = 0 // remaining and reset_after do not count the gap
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
	require.True(w.T, w.model(h, p, now+reset*millisecond, limit), "the limit is not available yet: %s", about)
	if reset > 0 {
		require.False(w.T, w.model(h, p, now+(reset-1)*millisecond, limit), "the limit was available before: %s", about)
	}
}
