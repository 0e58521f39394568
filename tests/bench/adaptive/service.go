package adaptive

import (
	"container/heap"
	"math"
	"math/rand/v2"
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
	running completions
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
		heap.Push(&s.running, completion{at: now + alone, call: s.queue[0]})
		s.queue = s.queue[1:]
	}
}

// finish ends the first work that runs. It returns nil if the call goes on under the lock.
func (s *service) finish(now int64) *call {
	c := heap.Pop(&s.running).(completion)
	if s.serial == 0 || c.locked {
		s.busy--
		return c.call
	}
	s.locked = max(now, s.locked) + int64(float64(s.draw())*s.serial)
	heap.Push(&s.running, completion{s.locked, c.call, true})
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

// completions are in the order of their times, as a heap.
type completions []completion

func (c completions) Len() int           { return len(c) }
func (c completions) Less(i, j int) bool { return c[i].at < c[j].at }
func (c completions) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *completions) Push(x any)        { *c = append(*c, x.(completion)) }
func (c *completions) Pop() (x any) {
	last := len(*c) - 1
	x, *c = (*c)[last], (*c)[:last]
	return x
}
