package admin

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestACLWhoAmI(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL WHOAMI", "default")
	h.Want("ACL SETUSER alice on nopass +acl|whoami", ok)
	h.Want("AUTH alice any", ok)
	h.Want("ACL WHOAMI", "alice")
	require.Equal(t, resptest.Simple("RESET"), h.Do("RESET"))
	h.Want("ACL WHOAMI", "default")
}

func TestACLCat(t *testing.T) {
	h := servertest.New(t)
	require.Contains(t, h.Do("ACL CAT"), "transaction")
	h.Want("ACL CAT Transaction", []string{"discard", "exec", "multi", "unwatch", "watch"})
	require.Contains(t, h.Do("ACL CAT admin"), "config|set")
	require.NotContains(t, h.Do("ACL CAT admin"), "config")
	h.Want("ACL CAT foo", commands.Error("ERR Unknown category 'foo'"))
	h.Want("ACL CAT a b", commands.Error("ERR unknown subcommand or wrong number of arguments for 'CAT'. Try ACL HELP."))
}
