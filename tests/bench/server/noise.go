package server

import (
	"context"
	"os"
	"time"

	"cellserver/tests/bench/report"
)

// A measurement counts while other processes use at most Tolerated of one core. It has at most attempts
// tries.
const (
	Tolerated = 0.10
	attempts  = 3
)

// Observe runs a function and returns the part of one core that other processes used during it. pids are the
// servers.
func Observe(pids []int, run func() error) (others float64, err error) {
	ours := append([]int{os.Getpid()}, pids...)
	before, err := othersTime(ours)
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	if err := run(); err != nil {
		return 0, err
	}
	elapsed := time.Since(begun)
	after, err := othersTime(ours)
	return max(0, (after-before).Seconds()/elapsed.Seconds()), err
}

// measured is a result that knows which part of a core other processes used.
type measured interface{ Disturbed() float64 }

// LeastDisturbed measures until the other processes use little enough, with at most attempts tries. It
// returns the least disturbed result.
func LeastDisturbed[T measured](measure func() (T, error)) (least T, err error) {
	for i := range attempts {
		found, err := measure()
		if err != nil {
			return least, err
		}
		if i == 0 || found.Disturbed() < least.Disturbed() {
			least = found
		}
		if least.Disturbed() <= Tolerated {
			break
		}
		report.Say("others used %.0f %% of a core meanwhile", 100*found.Disturbed())
	}
	return least, nil
}

// Pause sleeps, and returns early if the context ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
