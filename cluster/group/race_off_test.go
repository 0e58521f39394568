//go:build !race

package group_test

import "time"

// The worlds of a test without SEEDS and MINUTES in the environment.
const (
	fewSeeds   = 8
	powerCuts  = 20
	shortWorld = time.Minute
)
