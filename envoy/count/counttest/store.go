package counttest

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"time"

	"cellserver/envoy/count"
)

// A Store counts in memory. Its clock stands still until a test moves it.
type Store struct {
	mu     sync.Mutex // guards the fields below
	now    time.Time
	counts map[string]uint64
	err    error
	asked  int
}

// New makes a store whose clock shows 1000 seconds after the Unix epoch.
func New() *Store { return &Store{now: time.Unix(1000, 0), counts: map[string]uint64{}} }

// Move moves the clock.
func (s *Store) Move(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(d)
}

// Fail lets every request fail with the error, or with nil succeed again.
func (s *Store) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// Asked returns how many requests there were.
func (s *Store) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// Counters returns how many counters there are.
func (s *Store) Counters() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.counts)
}

// Count implements count.Counter.
func (s *Store) Count(ctx context.Context, r count.Request) ([]count.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.err != nil {
		return nil, s.err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	results, refused := s.apply(r.Hits)
	if r.AllOrNone && refused {
		for i := len(r.Hits) - 1; i >= 0; i-- {
			s.counts[s.window(r.Hits[i])] = results[i].Before
			results[i].After = results[i].Before
		}
	}
	return results, nil
}

// apply counts the hits one after the other, and reports whether one of them refuses the request.
func (s *Store) apply(hits []count.Hit) (results []count.Result, refused bool) {
	for _, h := range hits {
		key := s.window(h)
		r := count.Result{Before: s.counts[key]}
		sum, carry := bits.Add64(r.Before, h.Hits, 0)
		switch {
		case h.GiveBack:
			r.After = r.Before - min(r.Before, h.Hits)
		case carry != 0:
			r.After = math.MaxUint64
		default:
			r.After = sum
		}
		r.Over = !h.GiveBack && (r.After > h.Limit || h.Hits == 0 && r.Before >= h.Limit)
		r.Reset = h.Period - time.Duration(s.now.UnixNano())%h.Period
		s.counts[key] = r.After
		results = append(results, r)
		refused = refused || r.Over && !h.Shadow
	}
	return results, refused
}

// window names the counter of a hit in the present window.
func (s *Store) window(h count.Hit) string {
	return fmt.Sprintf("%s/%d/%d", h.Key, h.Period, time.Duration(s.now.UnixNano())/h.Period)
}

// Ready implements count.Counter.
func (s *Store) Ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close implements count.Counter.
func (s *Store) Close() error { return nil }
