//go:build race

package cluster_test

import "time"

// The race detector makes everything several times slower, so fewer worlds last for less time.
const (
	fewSeeds   = 2
	powerCuts  = 5
	shortWorld = 8 * time.Second
)
