package cluster

import (
	"strings"
	"testing"

	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestRefused: every refused subcommand names a subcommand that exists, on a member and on a server that is alone.
func TestRefused(t *testing.T) {
	member, cluster := servertest.NewMember(t, 0, 1)
	alone := servertest.New(t, "--cluster-enabled", "yes")
	lines := []string{
		"CLUSTER ADDSLOTS 1", "CLUSTER ADDSLOTSRANGE 1 2", "CLUSTER DELSLOTS 1", "CLUSTER DELSLOTSRANGE 1 2", "CLUSTER FLUSHSLOTS",
		"CLUSTER SETSLOT 1 STABLE", "CLUSTER REPLICATE x", "CLUSTER BUMPEPOCH", "CLUSTER SET-CONFIG-EPOCH 1", "CLUSTER RESET",
	}
	require.Len(t, lines, len(refusedCommands))
	for i, line := range lines {
		reply := member.Do(line).(resptest.Error)
		said := "    Not here: " + strings.TrimPrefix(string(reply), "ERR ") + "."
		require.Equal(t, said, refusedCommands[i].Docs().Help[1], "CLUSTER HELP says the same")
		require.True(t, strings.Contains(string(reply), "use CLUSTER FAILOVER") || strings.Contains(string(reply), "use CLUSTER MEET") ||
			strings.Contains(string(reply), "use CLUSTER FORGET"), "%s: %s", line, reply)
		require.Equal(t, reply, alone.Do(line), line)
	}
	require.Empty(t, cluster.Calls)
	servertest.New(t).Want("CLUSTER RESET", errNoCluster)
}
