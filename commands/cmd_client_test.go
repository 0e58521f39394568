package commands

import (
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestClient(t *testing.T) {
	h := newHarness(t)
	h.want("CLIENT", Error("ERR wrong number of arguments for 'client' command"))
	h.want("CLIENT ID x", Error("ERR wrong number of arguments for 'client|id' command"))
	h.want("CLIENT MAINT_NOTIFICATIONS ON", Error("ERR unknown subcommand 'MAINT_NOTIFICATIONS'. Try CLIENT HELP."))
	help := h.do("CLIENT HELP").([]any)
	require.Equal(t, resptest.Simple("CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"), help[0])
	require.Contains(t, help, resptest.Simple("UNPAUSE"))
	require.Equal(t, resptest.Simple("    Prints this help."), help[len(help)-1])
	for _, s := range table["client"].Subs {
		require.True(t, len(s.Help) > 1 || s.Name == "help", s.Name)
	}
}
