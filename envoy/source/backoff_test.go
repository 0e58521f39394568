package source

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A server that is away fills the log if nobody waits.
func TestWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			backoff
			wants []time.Duration // of which each wait is at least the half
		}{
			{backoff{}, []time.Duration{shortest, shortest, shortest}},
			{backoff{first: time.Second, longest: 3 * time.Second}, []time.Duration{1e9, 2e9, 3e9, 3e9}},
			{backoff{first: time.Minute, longest: time.Second}, []time.Duration{1e9, 1e9}},
		} {
			for _, want := range c.wants {
				begin := time.Now()
				require.True(t, c.wait(t.Context()))
				took := time.Since(begin)
				require.LessOrEqual(t, took, want)
				require.GreaterOrEqual(t, took, want/2)
			}
			c.reset()
			require.Zero(t, c.next)
		}
	})
}
