//go:build !race

package group_test

import "time"

// The worlds of a test without SEEDS and MINUTES in the environment.
const (
	fewSeeds   = 8
	seedsEach  = uint64(3) // of each kind of trouble
	powerCuts  = 20
	shortWorld = time.Minute
)
