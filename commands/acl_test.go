package commands

import (
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestACL(t *testing.T) {
	h := newHarness(t)
	h.want("ACL WHOAMI", "default")
	h.want("ACL USERS", []string{"default"})
	h.want("ACL LIST", []string{"user default on nopass ~* &* +@all"})
	h.want("ACL GETUSER default", []any{"flags", []string{"on", "nopass"}, "passwords", []any{}, "commands", "+@all",
		"keys", "~*", "channels", "&*", "selectors", []any{}})
	h.want("ACL GETUSER nobody", nil)
	h.want("ACL SETUSER alice", Error("ERR unknown subcommand 'SETUSER'. Try ACL HELP."))

	h.want("CONFIG SET requirepass sec", ok)
	const hash = "add93534eeb463800fe0ed0946048d33636dd2a014fab92e8a37f77ce98c740b"
	h.want("ACL LIST", []string{"user default on #" + hash + " ~* &* +@all"})
	h.do("AUTH sec")
	h.do("HELLO 3")
	user := h.do("ACL GETUSER default").(resptest.Map)
	require.Equal(t, resptest.Pair{Key: "flags", Value: resptest.Set{"on"}}, user[0])
	require.Equal(t, resptest.Pair{Key: "passwords", Value: []any{hash}}, user[1])
}

func TestACLCat(t *testing.T) {
	h := newHarness(t)
	require.Contains(t, h.do("ACL CAT"), "transaction")
	h.want("ACL CAT Transaction", []string{"discard", "exec", "multi", "unwatch", "watch"})
	require.Contains(t, h.do("ACL CAT admin"), "config|set")
	require.NotContains(t, h.do("ACL CAT admin"), "config")
	h.want("ACL CAT foo", Error("ERR Unknown category 'foo'"))
	h.want("ACL CAT a b", Error("ERR unknown subcommand or wrong number of arguments for 'CAT'. Try ACL HELP."))
}
