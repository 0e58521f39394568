//go:build race

package group_test

import "time"

// The race detector makes everything several times slower, so fewer worlds last for less time.
const (
	fewSeeds   = 4
	seedsEach  = uint64(1) // of each kind of trouble
	powerCuts  = 5
	shortWorld = 15 * time.Second
)
