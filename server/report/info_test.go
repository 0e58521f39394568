package report

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHumanBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0B", 1023: "1023B", 1024: "1.00K", 1 << 20: "1.00M", 3 << 29: "1.50G", 1<<63 - 1: "8.00E"} {
		require.Equal(t, want, humanBytes(n))
	}
}
