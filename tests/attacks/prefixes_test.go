package attacks

import (
	"fmt"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// CLIENT TRACKING compared each prefix with each other one, and moved all prefixes for each new
// one: 20,000 prefixes took 4–6 s, and all other clients waited. Each write then compared its key
// with all prefixes. PSUBSCRIBE moved all patterns in the same way. Both sort and search now.
func TestManyPrefixes(t *testing.T) {
	n, bound := rounds(20_000, 100_000), time.Duration(rounds(1, 5))*time.Second
	for _, attack := range [][]any{{"CLIENT", "TRACKING", "ON", "BCAST"}, {"PSUBSCRIBE"}} {
		t.Run(fmt.Sprint(attack[0]), func(t *testing.T) {
			for i := n; i > 0; i-- { // each new name sorts before all others
				if attack[0] == "CLIENT" {
					attack = append(attack, "PREFIX")
				}
				attack = append(attack, fmt.Sprintf("prefix:%08d:", i))
			}
			request := resptest.Command(attack...)
			for try := range sessionTries { // a busy machine may make all wait
				took, writes, longest := namePrefixes(t, request)
				t.Logf("%d names: %v, then %v for a write; others waited %v at most", n, took, writes/1000, longest)
				if took < bound && longest < bound/2 && writes < bound/2 {
					return
				}
				require.Less(t, try, sessionTries-1, "others waited")
			}
		})
	}
}

// namePrefixes sends a request with many names to a new server. It returns the time that the request took, that of a thousand
// writes after it, and how long another client waited at most.
func namePrefixes(t *testing.T, request []byte) (took, writes, longest time.Duration) {
	s := start(t)
	s.guard(512 << 20)
	c := s.dial()
	c.Do("HELLO", 3)
	other := s.watch()
	begun := time.Now()
	c.Write(request)
	c.Recv()
	writer := s.dial()
	writer.Do("SET", "other", "x")
	took = time.Since(begun)
	for range 1000 {
		writer.Do("SET", "other", "x")
	}
	writes = time.Since(begun) - took
	c.Close()
	writer.Do("SET", "other", "x")
	_, _, longest = other.waits()
	s.alive()
	return took, writes, longest
}
