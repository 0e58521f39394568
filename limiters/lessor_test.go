package limiters

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLessorsOfOneLimit: a limit that is leased again and again needs memory once, and another one in between is another one.
func TestLessorsOfOneLimit(t *testing.T) {
	var args Args
	read := func(text string) Rate {
		l, err := args.Lessor("cl.throttle", bytes.Fields([]byte(text)))
		require.NoError(t, err)
		return l.(Rate)
	}
	one := bytes.Fields([]byte("9 1 60"))
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = args.Lessor("cl.throttle", one) }))
	require.Equal(t, []int64{10, 20, 10}, []int64{read("9 1 60").Quota.Limit(), read("19 1 60").Quota.Limit(), read("9 1 60").Quota.Limit()})
	_, err := args.Lessor("cl.throttle", bytes.Fields([]byte("9 0 60")))
	require.Error(t, err)
	require.Equal(t, int64(10), read("9 1 60").Quota.Limit())
}
