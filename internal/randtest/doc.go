// Package randtest gives tests a source of randomness whose seed is printed, so that a
// failure can be repeated with SEED=… in the environment.
//
// Invariant: the same seed gives the same numbers.
//
// Only tests import it. It holds no state and takes no locks.
package randtest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Source returns a source of randomness and logs its seed. The variable SEED sets the seed.
func Source(t testing.TB) rand.Source {
	t.Helper()
	seed := rand.Uint64()
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("SEED must be an unsigned integer: %v", err)
		}
	}
	t.Logf("SEED=%d", seed)
	return rand.NewPCG(seed, 0)
}
