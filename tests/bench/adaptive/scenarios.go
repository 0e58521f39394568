package adaptive

import (
	"fmt"
	"math"
)

const millisecond = 1e6

// steady is a service of 100 workers that does not change.
func steady(rate float64, seconds int) *scenario {
	return &scenario{
		rate: rate, workers: 100, work: 20 * millisecond, seconds: seconds,
		callers: 10, deadline: 200 * millisecond,
	}
}

// halves is a service that loses half of its workers from 60 to 120 seconds.
func halves() *scenario {
	s := steady(4000, 180)
	s.changes = []change{
		{60 * second, func(s *service, _ int64) { s.workers = 50 }},
		{120 * second, func(s *service, _ int64) { s.workers = 100 }},
	}
	return s
}

// slower is a service whose calls take three times as long from 60 to 120 seconds, with the same workers.
func slower() *scenario {
	s := steady(2000, 180)
	s.deadline = 400 * millisecond
	s.changes = []change{
		{60 * second, func(s *service, _ int64) { s.work = 60 * millisecond }},
		{120 * second, func(s *service, _ int64) { s.work = 20 * millisecond }},
	}
	return s
}

// overload is a service with twice the load that it can take, for ten minutes after the start.
func overload() *scenario { return steady(10_000, 630) }

// hang is a service that does nothing from 60 to 90 seconds.
func hang() *scenario {
	s := steady(4000, 150)
	s.changes = []change{{60 * second, func(s *service, now int64) { s.hang(now, now+30*second) }}}
	return s
}

// skew is halves with one caller that has half of the load.
func skew() *scenario {
	s := halves()
	s.share = 0.5
	return s
}

// small is a service of eight workers with more than twice the load that it can take.
func small() *scenario {
	return &scenario{
		rate: 400, workers: 8, work: 50 * millisecond, seconds: 120,
		callers: 4, deadline: 500 * millisecond,
	}
}

// lock is a service whose calls do a twentieth of their work under one lock, with twice the load that the
// lock can take.
func lock() *scenario {
	s := steady(2000, 80)
	s.serial = 0.05
	return s
}

// pauses is a service that does nothing for 200 ms every 3 seconds, as one that collects garbage.
func pauses(rate float64) *scenario {
	s := steady(rate, 80)
	for at := 3 * second; at < int64(s.seconds)*second; at += 3 * second {
		s.changes = append(s.changes, change{at, func(s *service, now int64) {
			s.hang(now, now+200*millisecond)
		}})
	}
	return s
}

// idealP99 is the 99th percentile in ms of a service without a queue, whose work takes 20 ms on average.
var idealP99 = func() float64 {
	variance := math.Log(1 + variety*variety)
	return 20 * math.Exp(2.326*math.Sqrt(variance)-variance/2)
}()

// outcome has the figures of a scenario.
type outcome struct {
	before, during, after       float64 // good replies a second
	p99Before, p99During        float64 // ms
	quick, back                 int     // seconds until the latency is low, and the replies; -1 for never
	p99First, p99Last, goodLast float64 // of the first and last five minutes of an overload
}

// outcomeOf returns the figures of a scenario of three minutes that changes at 60 and at 120 seconds.
func outcomeOf(of *scenario, by limit, seed uint64) outcome {
	all := run(of, by, seed)
	return outcome{
		before: goodput(all, 20, 60), during: goodput(all, 60, 120), after: goodput(all, 120, 180),
		p99Before: p99(all, 20, 60), p99During: p99(all, 60, 120),
		quick: secondsUntil(all, 60, 120, func(i int) bool { return p99(all, i, i+1) <= 1.5*idealP99 }),
		back:  secondsUntil(all, 120, 180, func(i int) bool { return goodput(all, i, i+1) >= 0.95*of.rate }),
	}
}

// overloadOf returns the figures of an overload: of the first and of the last five minutes after the start.
func overloadOf(by limit, seed uint64) outcome {
	all := run(overload(), by, seed)
	return outcome{
		before: goodput(all, 30, 330), p99First: p99(all, 30, 330),
		goodLast: goodput(all, 330, 630), p99Last: p99(all, 330, 630),
	}
}

// hangOf returns in how many seconds after a hang 95 % of the replies are good again, -1 for never.
func hangOf(by limit, seed uint64) int {
	of := hang()
	all := run(of, by, seed)
	return secondsUntil(all, 90, 150, func(i int) bool { return goodput(all, i, i+1) >= 0.95*of.rate })
}

// inSeconds writes a number of seconds.
func inSeconds(n int) string {
	if n < 0 {
		return "never"
	}
	return fmt.Sprintf("%d s", n)
}
