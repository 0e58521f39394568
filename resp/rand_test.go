package resp

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// newRand is a source of randomness whose seed is printed when the test fails, and taken from the
// environment variable SEED when that is set.
func newRand(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	if s := os.Getenv("SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("SEED: %v", err)
		}
	}
	t.Logf("SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// randomBytes are up to n bytes, most often those that mean something to the protocol.
func randomBytes(r *rand.Rand, n int) []byte {
	const telling = "\r\n\r\n $*-0123456789\"'\\x\x00\tab"
	b := make([]byte, r.IntN(n+1))
	for i := range b {
		if r.IntN(8) == 0 {
			b[i] = byte(r.Uint32())
		} else {
			b[i] = telling[r.IntN(len(telling))]
		}
	}
	return b
}
