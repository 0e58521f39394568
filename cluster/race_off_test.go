//go:build !race

package cluster_test

import "time"

// The worlds of a test without SEEDS and MINUTES in the environment.
const (
	fewSeeds   = 4
	powerCuts  = 20
	shortWorld = 30 * time.Second
)
