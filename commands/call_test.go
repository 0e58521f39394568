package commands

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestManySecretsAreShownSoon: a client may send AUTH with a million words. For a monitor, the time must not
// grow as their square.
func TestManySecretsAreShownSoon(t *testing.T) {
	show := func(n int) (least time.Duration) {
		c := Call{Args: make([][]byte, n)}
		for i := 1; i < n; i++ {
			c.Secret = append(c.Secret, i)
		}
		for try := range 3 {
			begin := time.Now()
			for i := range n {
				if (c.Shown(i) != nil) != (i > 0) {
					t.Fatal(i)
				}
			}
			if took := time.Since(begin); try == 0 || took < least {
				least = took
			}
		}
		return least
	}
	require.Less(t, show(40000), 30*show(4000))
}
