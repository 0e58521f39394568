package app

import (
	"testing"

	"cellserver/commands"
	"cellserver/internal/config"

	"github.com/stretchr/testify/require"
)

// TestTooFewFilesForHTTP names the port that needs them.
func TestTooFewFilesForHTTP(t *testing.T) {
	old := &config.Config{HTTP: config.HTTP{MaxConnections: 1 << 20}}
	old.MaxClients = maxClients(old)
	for directive, web := range map[string]config.Web{
		"http-port": {Port: 1}, "http-tls-port": {TLSPort: 1},
	} {
		cfg := *old
		cfg.HTTP.Web = web
		var refusal *commands.Refusal
		require.ErrorAs(t, refuseClients(old, &cfg), &refusal)
		require.Equal(t, directive, refusal.Directive)
		require.ErrorContains(t, refusal.Reason, "first set maxclients to")
	}
}

// TestListLimits has the sizes of list-max-listpack-size, as Redis reads them.
func TestListLimits(t *testing.T) {
	for size, want := range map[int][2]int{
		-1: {1<<31 - 1, 4 << 10}, -2: {1<<31 - 1, 8 << 10}, -5: {1<<31 - 1, 64 << 10}, -99: {1<<31 - 1, 64 << 10},
		-1 << 31: {1<<31 - 1, 64 << 10}, 0: {1, 8 << 10}, 1: {1, 8 << 10}, 500: {500, 8 << 10},
	} {
		entries, bytes := listLimits(size)
		require.Equal(t, want, [2]int{entries, bytes}, "%d", size)
	}
}
