package admin

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestACL(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL WHOAMI", "default")
	h.Want("ACL USERS", []string{"default"})
	h.Want("ACL LIST", []string{"user default on nopass ~* &* +@all"})
	h.Want("ACL GETUSER default", []any{"flags", []string{"on", "nopass"}, "passwords", []any{}, "commands", "+@all",
		"keys", "~*", "channels", "&*", "selectors", []any{}})
	h.Want("ACL GETUSER nobody", nil)
	h.Want("ACL SETUSER alice", commands.Error("ERR unknown subcommand 'SETUSER'. Try ACL HELP."))

	h.Want("CONFIG SET requirepass sec", ok)
	const hash = "add93534eeb463800fe0ed0946048d33636dd2a014fab92e8a37f77ce98c740b"
	h.Want("ACL LIST", []string{"user default on #" + hash + " ~* &* +@all"})
	h.Do("AUTH sec")
	h.Do("HELLO 3")
	user := h.Do("ACL GETUSER default").(resptest.Map)
	require.Equal(t, resptest.Pair{Key: "flags", Value: resptest.Set{"on"}}, user[0])
	require.Equal(t, resptest.Pair{Key: "passwords", Value: []any{hash}}, user[1])
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
