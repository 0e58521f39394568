//go:build race

package group_test

import "time"

// The race detector makes everything several times slower, so fewer worlds last for less time.
const (
	fewSeeds   = 4
	powerCuts  = 5
	shortWorld = 15 * time.Second
)
