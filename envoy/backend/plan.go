package backend

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"cellserver/envoy/count"
	"cellserver/internal/exact"
)

// mostCounters is how many windows one command may have.
const mostCounters = 128

// manyCounters is from how many on keys are found by a map.
const manyCounters = 32

// counter is one key of a command, with the hits of the request that it counts.
type counter struct {
	key      string
	limit    int64 // of all or none: what the sum may reach, so that each hit fits after those before it
	quantity int64 // the sum of the hits; below 0 it gives back
	hits     []int // their numbers in the request
}

// command is one CL.MWINDOW.
type command struct {
	counters []counter
	charge   bool           // each window counts. Otherwise all do, or none
	looks    []int          // the counters whose look does not refuse in the engine
	peeks    bool           // nothing counts
	places   map[string]int // of the counters by their keys, once there are many
}

// planner makes the commands of requests.
type planner struct {
	prefix string
	now    func() time.Time
}

// plan returns the commands of a request. tagged says that the server needs all keys of a command in one
// slot.
func (p planner) plan(r *count.Request, tagged bool) ([]command, error) {
	commands, later := []command{{charge: !r.AllOrNone}}, []command{{charge: true}}
	commands[0].counters = make([]counter, 0, len(r.Hits))
	numbers := make([]int, len(r.Hits)) // each one begins the hits of a counter
	tag := ""
	if tagged {
		tag = tagOf(r.Domain)
	}
	for i := range r.Hits {
		h := &r.Hits[i]
		if err := supported(h); err != nil {
			return nil, err
		}
		all := &commands
		if r.AllOrNone && (h.Shadow || h.GiveBack) {
			all = &later // they refuse nobody, and count if the others do
		}
		numbers[i] = i
		key, to := keyOf(p.prefix, tag, h), &(*all)[len(*all)-1]
		if at := to.place(key); at >= 0 && to.charge &&
			r.Hits[to.counters[at].hits[0]].GiveBack != h.GiveBack {
			*all = append(*all, command{charge: true}) // a sum below 0 would lose what is charged
			to = &(*all)[len(*all)-1]
		}
		to.add(key, h, numbers[i:i+1:i+1])
	}
	if r.AllOrNone && len(commands[0].counters) > mostCounters {
		return nil, fmt.Errorf("%w: more than %d limits that count all or none: send fewer descriptors",
			count.ErrUnsupported, mostCounters)
	}
	if len(commands[0].counters) == 0 {
		commands = nil
	}
	if len(later[0].counters) > 0 {
		commands = append(commands, later...)
	}
	for i := range commands {
		commands[i].findLooks(r)
	}
	return split(commands), nil
}

// findLooks finds the looks that do not refuse in the engine.
func (c *command) findLooks(r *count.Request) {
	for i := range c.counters {
		one := &c.counters[i]
		isFixed := algorithms[r.Hits[one.hits[0]].Algorithm] == ""
		if one.quantity != 0 || isFixed && one.limit > 0 {
			continue
		}
		one.limit = max(one.limit, 1) // a limit of 0 refuses no look in the engine
		if !c.charge {
			c.looks = append(c.looks, i)
		}
	}
}

// add adds a hit to the counter with its key. number is that of the hit.
func (c *command) add(key string, h *count.Hit, number []int) {
	limit, quantity := int64(min(atOnce(h), math.MaxInt64)), int64(min(h.Hits, math.MaxInt64))
	switch {
	case h.GiveBack:
		quantity = -quantity
	case c.charge || quantity > 0 || algorithms[h.Algorithm] != "":
	case limit > 0:
		limit-- // a look fits if something is left
	default:
		quantity = 1 // a look at nothing never fits
	}
	i := c.place(key)
	if i < 0 {
		if c.places != nil {
			c.places[key] = len(c.counters)
		}
		c.counters = append(c.counters, counter{key, limit, quantity, number})
		return
	}
	one := &c.counters[i]
	if !h.GiveBack {
		one.limit = min(plus(one.limit, quantity), limit)
	}
	one.quantity = plus(one.quantity, quantity)
	one.hits = append(one.hits, number...)
}

// place returns the place of the counter with a key, or -1.
func (c *command) place(key string) int {
	if len(c.counters) < manyCounters {
		return slices.IndexFunc(c.counters, func(one counter) bool { return one.key == key })
	}
	if c.places == nil {
		c.places = make(map[string]int, 2*manyCounters)
		for i := range c.counters {
			c.places[c.counters[i].key] = i
		}
	}
	if i, known := c.places[key]; known {
		return i
	}
	return -1
}

// retag gives all keys of a command the hash tag of the domain.
func (p planner) retag(r *count.Request, c *command) {
	for i := range c.counters {
		one := &c.counters[i]
		one.key = keyOf(p.prefix, tagOf(r.Domain), &r.Hits[one.hits[0]])
	}
}

// split divides a command that has too many windows.
func split(all []command) (parts []command) {
	for _, c := range all {
		for len(c.counters) > mostCounters {
			parts = append(parts, command{counters: c.counters[:mostCounters], charge: c.charge})
			c.counters = c.counters[mostCounters:]
		}
		parts = append(parts, c)
	}
	return parts
}

// firstKey is the position of the first key among the words of a command.
const firstKey = 2

// args returns the words of the command.
func (c *command) args(r *count.Request) []string {
	args := make([]string, 0, 4+6*len(c.counters))
	args = append(args, "CL.MWINDOW", strconv.Itoa(len(c.counters)))
	for i := range c.counters {
		one := &c.counters[i]
		h := &r.Hits[one.hits[0]]
		period, by := "0", algorithms[h.Algorithm]
		if h.Calendar == "" {
			period = secondsOf(periodOf(h))
		}
		args = append(args, one.key, strconv.FormatInt(one.limit, 10), period,
			strconv.FormatInt(one.quantity, 10))
		switch {
		case by != "":
			args = append(args, "BY", by)
		case h.Calendar == "":
			args = append(args, "ALIGN")
		case h.Zone == "":
			args = append(args, "ALIGN", h.Calendar)
		default:
			args = append(args, "ALIGN", h.Calendar, "TZ", h.Zone)
		}
	}
	if c.charge {
		args = append(args, "CHARGE")
	}
	if c.peeks {
		args = append(args, "PEEK")
	}
	return append(args, "MS")
}

// An asker runs a command in an engine. refused says that nothing counts.
type asker func(ctx context.Context, r *count.Request, c *command, to []answer) (refused bool, err error)

// askAll runs the commands of a request, one after the other. After one that refuses, the others count nothing.
func (p planner) askAll(
	ctx context.Context, r *count.Request, plan []command, in asker,
) (to []count.Result, err error) {
	to = make([]count.Result, len(r.Hits))
	refused := false
	for i := range plan {
		plan[i].peeks = refused
		if refused {
			plan[i].takeNothingBack()
		}
		isRefused, err := p.ask(ctx, r, &plan[i], in, to)
		if err != nil {
			return nil, err
		}
		refused = refused || isRefused
	}
	return to, nil
}

// takeNothingBack makes looks of hits that are given back: they may be more than the count.
func (c *command) takeNothingBack() {
	for i := range c.counters {
		one := &c.counters[i]
		one.quantity = max(one.quantity, 0)
	}
}

// ask runs a command, and turns the answers into results. A look at a limit that is used up refuses the
// request. The engine has such a look for fixed windows of 2 and more. For others an action is tried first,
// which counts nothing.
func (p planner) ask(
	ctx context.Context, r *count.Request, c *command, in asker, to []count.Result,
) (refused bool, err error) {
	answers := make([]answer, len(c.counters))
	if len(c.looks) > 0 {
		c.try(1)
		if refused, err = in(ctx, r, c, answers); err != nil {
			return false, err
		}
	}
	if !refused {
		c.try(0)
		if refused, err = in(ctx, r, c, answers); err != nil {
			return false, err
		}
	}
	p.results(r, c, refused, answers, to)
	return refused, nil
}

// try makes looks of actions, or actions of looks that count nothing.
func (c *command) try(quantity int64) {
	if len(c.looks) > 0 {
		c.peeks = quantity > 0
	}
	for _, i := range c.looks {
		c.counters[i].quantity = quantity
	}
}

// answer is what CL.MWINDOW says of one window.
type answer struct {
	limited   bool
	remaining int64
	retry     time.Duration // until the same request passes, below 0 if it passes or never does
	reset     time.Duration
}

// results turns the answers to a command into results. refused says that nothing counts.
func (p planner) results(r *count.Request, c *command, refused bool, answers []answer, to []count.Result) {
	now := p.now()
	for i := range c.counters {
		one, a := &c.counters[i], &answers[i]
		h := &r.Hits[one.hits[0]]
		after := uint64(max(one.limit-a.remaining, 0))
		before := after
		switch {
		case !refused:
			before = undo(after, one.quantity)
		case a.limited && one.quantity == 0: // a look: remaining is never below 0
			before = max(before, uint64(one.limit)+1)
		}
		reset := a.reset
		if reset <= 0 { // nothing counts
			if end, err := endOf(h, now); err == nil {
				reset = end.Sub(now)
			}
		}
		running := before
		for _, number := range one.hits {
			h, result := &r.Hits[number], &to[number]
			result.Before, result.Reset = shown(running, h), reset
			next := apply(running, h)
			result.After, result.Over = shown(next, h), isOver(h, running, next)
			running = next
			if a.limited && len(one.hits) == 1 && h.Hits > 0 && !h.GiveBack {
				result.Over = true // also if it was too large to count
			}
			if result.Over && 0 < a.retry && a.retry < reset {
				result.Retry = a.retry
			}
			if refused || c.peeks {
				result.Before, result.After = shown(before, h), shown(before, h)
			}
		}
	}
}

// undo returns the count before a quantity was added.
func undo(after uint64, quantity int64) uint64 {
	if quantity >= 0 {
		return after - min(uint64(quantity), after)
	}
	if after == 0 {
		return 0 // how much came back, nobody knows
	}
	return after + uint64(-quantity)
}

// apply returns the count after a hit.
func apply(before uint64, h *count.Hit) uint64 {
	switch {
	case h.GiveBack:
		return before - min(h.Hits, before)
	case before > math.MaxUint64-h.Hits:
		return math.MaxUint64
	}
	return before + h.Hits
}

// isOver reports whether a hit does not fit into what is admitted at once. What is given back always fits.
func isOver(h *count.Hit, before, after uint64) bool {
	switch {
	case h.GiveBack:
		return false
	case h.Hits == 0:
		return before >= atOnce(h)
	}
	return after > atOnce(h)
}

// shown returns the count that a result shows. It leaves as much of the limit as used leaves of the burst, and
// at most the whole limit.
func shown(used uint64, h *count.Hit) uint64 {
	burst := atOnce(h)
	if burst < h.Limit {
		return used + min(h.Limit-burst, math.MaxUint64-used)
	}
	return used - min(burst-h.Limit, used)
}

// plus adds two quantities. The negative of the sum fits an int64, too.
func plus(a, b int64) int64 { return max(exact.Plus(a, b), -math.MaxInt64) }
