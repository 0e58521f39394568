package resp

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// newRand returns a random source. A failing test prints its seed; the environment variable SEED sets it.
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

// randomBytes returns up to n bytes. Most of them have a meaning in the protocol.
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
