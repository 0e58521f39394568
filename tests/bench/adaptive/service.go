package adaptive

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const second = int64(1e9)

// variety is the coefficient of variation of the work.
const variety = 0.5

// A call is a request to the service.
type call struct {
	began  int64 // when the caller asked for a permit, in ns of the simulation
	caller int
	id     int64
	left   bool // the caller has its answer, or has given up
}

// service has workers that take calls from one queue, the oldest first. It goes on working for callers that
// have given up.
type service struct {
	random  *rand.Rand
	workers int
	work    float64 // mean ns of a call
	busy    int
	hangs   int64   // until then nothing is done
	serial  float64 // the part of the work that a call does under a lock, at its end
	locked  int64   // until then calls have the lock
	queue   []*call
	running []completion // in the order of their times
}

// start gives a call to the service.
func (s *service) start(c *call, now int64) {
	s.queue = append(s.queue, c)
	s.assign(now)
}

// assign gives waiting calls to idle workers.
func (s *service) assign(now int64) {
	for now >= s.hangs && s.busy < s.workers && len(s.queue) > 0 {
		s.busy++
		alone := int64(float64(s.draw()) * (1 - s.serial))
		s.run(completion{at: now + alone, call: s.queue[0]})
		s.queue = s.queue[1:]
	}
}

// run puts the end of a work in its place.
func (s *service) run(c completion) {
	byTime := func(of completion, at int64) int { return cmp.Compare(of.at, at) }
	i, _ := slices.BinarySearchFunc(s.running, c.at, byTime)
	s.running = slices.Insert(s.running, i, c)
}

// finish ends the first work that runs. It returns nil if the call goes on under the lock.
func (s *service) finish(now int64) *call {
	c := s.running[0]
	s.running = s.running[1:]
	if s.serial == 0 || c.locked {
		s.busy--
		return c.call
	}
	s.locked = max(now, s.locked) + int64(float64(s.draw())*s.serial)
	s.run(completion{s.locked, c.call, true})
	return nil
}

// draw returns the work of a call: lognormal.
func (s *service) draw() int64 {
	variance := math.Log(1 + variety*variety)
	return int64(s.work * math.Exp(s.random.NormFloat64()*math.Sqrt(variance)-variance/2))
}

// hang stops all work until a time.
func (s *service) hang(now, until int64) {
	s.hangs = until
	if s.locked > now {
		s.locked += until - now
	}
	for i := range s.running {
		s.running[i].at += until - now
	}
}

// completion is the end of the work of a call.
type completion struct {
	at     int64
	call   *call
	locked bool
}
