package main

import (
	"context"
	"os"
	"time"
)

// A measurement holds while other processes use no more than tolerated of one core. It is taken attempts times at most, and
// each attempt waits up to calming for others to end, while there is some of calmingLeft, the whole run's time to wait.
const (
	tolerated = 0.10
	attempts  = 3
	calming   = 10 * time.Second
)

var calmingLeft = 2 * time.Minute

// observe runs something and returns the part of one core that others used meanwhile; pids are the servers'.
func observe(pids []int, run func() error) (others float64, err error) {
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

// undisturbed is a measurement during which others left the machine alone, or the least disturbed of several.
func undisturbed(ctx context.Context, pids []int, measure func() (sample, error)) (sample, error) {
	return leastDisturbed(func() (found sample, err error) {
		if err := awaitCalm(ctx, pids); err != nil {
			return found, err
		}
		others, err := observe(pids, func() (err error) { found, err = measure(); return err })
		found.others = others
		return found, err
	})
}

// measured knows the part of a core that other processes used meanwhile.
type measured interface{ disturbed() float64 }

func (s sample) disturbed() float64  { return s.others }
func (c jobCost) disturbed() float64 { return c.others }

// leastDisturbed repeats a measurement until others were tolerable, for a few times.
func leastDisturbed[T measured](measure func() (T, error)) (least T, err error) {
	for i := range attempts {
		found, err := measure()
		if err != nil {
			return least, err
		}
		if i == 0 || found.disturbed() < least.disturbed() {
			least = found
		}
		if least.disturbed() <= tolerated {
			break
		}
		say("others used %.0f %% of a core meanwhile", 100*found.disturbed())
	}
	return least, nil
}

// awaitCalm waits until others leave the machine alone, for a while.
func awaitCalm(ctx context.Context, pids []int) error {
	const glance = 200 * time.Millisecond
	begun := time.Now()
	defer func() { calmingLeft -= time.Since(begun) }()
	for end := begun.Add(min(calming, calmingLeft)); ; {
		others, err := observe(pids, func() error { return pause(ctx, glance) })
		if err != nil || others <= tolerated || time.Now().After(end) {
			return err
		}
	}
}

// pause waits, unless it is told to end.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
