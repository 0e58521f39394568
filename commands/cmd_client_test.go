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

func TestClientName(t *testing.T) {
	h := newHarness(t)
	h.want("CLIENT ID", 1)
	h.client(t).want("CLIENT ID", 2)
	h.want("CLIENT GETNAME", nil)
	h.want("CLIENT SETNAME app-1", ok)
	h.want("CLIENT GETNAME", "app-1")
	bad := Error("ERR Client names cannot contain spaces, newlines or special characters.")
	h.want(`CLIENT SETNAME "a b"`, bad)
	h.want(`CLIENT SETNAME "a\nb"`, bad)
	h.want("CLIENT GETNAME", "app-1")
	h.want(`CLIENT SETNAME ""`, ok)
	h.want("CLIENT GETNAME", nil)
}

func TestClientSetInfo(t *testing.T) {
	h := newHarness(t)
	h.want("CLIENT SETINFO LIB-NAME go-redis(,go1.26.8)", ok)
	h.want("client setinfo lib-ver 9.23.0", ok)
	require.Contains(t, h.do("CLIENT INFO"), " lib-name=go-redis(,go1.26.8) lib-ver=9.23.0\n")
	h.want(`CLIENT SETINFO lib-name "a b"`, Error("ERR lib-name cannot contain spaces, newlines or special characters."))
	h.want("CLIENT SETINFO badger hamster", Error("ERR Unrecognized option 'badger'"))
	h.want("CLIENT SETINFO lib-name", Error("ERR wrong number of arguments for 'client|setinfo' command"))
	require.Contains(t, h.do("CLIENT INFO"), " lib-name=go-redis(,go1.26.8) ")
}
