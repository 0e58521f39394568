package server

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHTTPWarnings holds that the log gets one warning a minute, also after the clock has stepped back.
func TestHTTPWarnings(t *testing.T) {
	const minute = httpWarnEvery
	var g httpGuard
	require.True(t, g.mayWarn(10*minute))
	require.False(t, g.mayWarn(11*minute))
	require.True(t, g.mayWarn(11*minute+1))
	require.False(t, g.mayWarn(11*minute+2))
	require.True(t, g.mayWarn(9*minute))
}
