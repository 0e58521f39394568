package commands

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestManySecretsAreShownSoon: a client may send AUTH with a million words. For a monitor, the time must not
// grow as their square.
func TestManySecretsAreShownSoon(t *testing.T) {
	const n = 1 << 20
	c := Call{Args: make([][]byte, n)}
	c.Hide(1)
	begun := time.Now()
	for i := range n {
		if (c.Shown(i) != nil) != (i > 0) {
			t.Fatal(i)
		}
	}
	require.Less(t, time.Since(begun), time.Minute, "a search from the first one on takes many")
}
