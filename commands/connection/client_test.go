package connection

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestClient(t *testing.T) {
	h := servertest.New(t)
	h.Want("CLIENT", commands.Error("ERR wrong number of arguments for 'client' command"))
	h.Want("CLIENT ID x", commands.Error("ERR wrong number of arguments for 'client|id' command"))
	h.Want("CLIENT MAINT_NOTIFICATIONS ON", commands.Error("ERR unknown subcommand 'MAINT_NOTIFICATIONS'. Try CLIENT HELP."))
	help := h.Do("CLIENT HELP").([]any)
	require.Equal(t, resptest.Simple("CLIENT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"), help[0])
	require.Contains(t, help, resptest.Simple("UNPAUSE"))
	require.Equal(t, resptest.Simple("    Prints this help."), help[len(help)-1])
	for _, s := range commands.Lookup([]byte("client")).Subs {
		require.True(t, len(s.Docs().Help) > 1 || s.Name == "help", s.Name)
	}
}
