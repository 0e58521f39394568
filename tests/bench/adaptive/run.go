package adaptive

import (
	"math"
	"math/rand/v2"
	"slices"
)

// limit decides which calls may begin.
type limit interface {
	// enter asks for a permit.
	enter(caller int, id, now int64) bool
	// leave returns a permit. dropped says that the caller has given up.
	leave(caller int, id, now, latency int64, dropped bool)
}

// change is what happens to the service at a time.
type change struct {
	at     int64
	change func(s *service, now int64)
}

// scenario is a service, its load and its changes.
type scenario struct {
	rate     float64 // calls a second
	workers  int
	work     float64 // ns
	serial   float64 // the part of the work that is under a lock
	seconds  int
	callers  int
	share    float64 // of the load that the first caller has; 0 for the same as the others
	deadline int64   // of a good reply
	changes  []change
}

// patience is how long a caller waits for its answer.
const patience = second

// figures are those of a second.
type figures struct {
	good  int     // replies within the deadline
	taken []int64 // latencies of the calls that began in the second, in ns
}

// run runs a scenario and returns the figures of each second, by the moment at which a call began.
func run(of *scenario, by limit, seed uint64) []figures {
	random := rand.New(rand.NewPCG(seed, 7))
	s := &service{random: random, workers: of.workers, work: of.work, serial: of.serial}
	all := make([]figures, of.seconds)
	var waiting []*call // callers that may give up, the oldest first
	changes := of.changes
	next, id := int64(0), int64(0)
	end := func(c *call, now int64, dropped bool) {
		c.left = true
		by.leave(c.caller, c.id, now, now-c.began, dropped)
		f := &all[min(c.began/second, int64(of.seconds-1))]
		f.taken = append(f.taken, now-c.began)
		if !dropped && now-c.began <= of.deadline {
			f.good++
		}
	}
	for {
		done, quit, changed := int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64)
		if len(s.running) > 0 {
			done = s.running[0].at
		}
		for len(waiting) > 0 && waiting[0].left {
			waiting = waiting[1:]
		}
		if len(waiting) > 0 {
			quit = waiting[0].began + patience
		}
		if len(changes) > 0 {
			changed = changes[0].at
		}
		switch now := min(next, done, quit, changed); {
		case now >= int64(of.seconds)*second:
			return all
		case now == changed:
			changes[0].change(s, now)
			changes = changes[1:]
			s.assign(now)
		case now == done:
			if c := s.finish(now); c != nil && !c.left {
				end(c, now, false)
			}
			s.assign(now)
		case now == quit:
			end(waiting[0], now, true)
		default:
			id++
			c := &call{began: now, caller: of.drawCaller(random), id: id}
			if by.enter(c.caller, id, now) {
				waiting = append(waiting, c)
				s.start(c, now)
			}
			next = now + int64(random.ExpFloat64()/of.rate*1e9)
		}
	}
}

// drawCaller chooses who makes a call.
func (of *scenario) drawCaller(random *rand.Rand) int {
	switch {
	case of.share == 0:
		return random.IntN(of.callers)
	case random.Float64() < of.share:
		return 0
	}
	return 1 + random.IntN(of.callers-1)
}

// goodput returns the good replies a second, from a second to another.
func goodput(all []figures, from, to int) float64 {
	sum := 0
	for _, f := range all[from:to] {
		sum += f.good
	}
	return float64(sum) / float64(to-from)
}

// p99 returns the 99th percentile of the latency in ms, from a second to another.
func p99(all []figures, from, to int) float64 {
	var taken []int64
	for _, f := range all[from:to] {
		taken = append(taken, f.taken...)
	}
	if len(taken) == 0 {
		return 0
	}
	slices.Sort(taken)
	return float64(taken[len(taken)*99/100]) / 1e6
}

// secondsUntil returns how many seconds after one it takes until a test holds, -1 if it never does.
func secondsUntil(all []figures, from, to int, holds func(second int) bool) int {
	for i := from; i < to; i++ {
		if holds(i) {
			return i - from
		}
	}
	return -1
}
