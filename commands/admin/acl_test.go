package admin

import (
	"testing"
	"time"

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

func TestACLLog(t *testing.T) {
	h := servertest.New(t, "--requirepass", "sec")
	h.Want("AUTH sec", ok)
	h.Want("ACL LOG", []any{})
	guess := h.NewClient(t)
	guess.Do("AUTH wrong")
	guess.Do("hello 2 AUTH bob wrong")
	guess.Do("AUTH wrong")
	h.Do("HELLO 3")
	h.Advance(1500 * time.Millisecond)
	log := h.Do("ACL LOG").([]any)
	require.Len(t, log, 2)
	entry := log[0].(resptest.Map)
	require.Equal(t, servertest.MapOf("count", 2, "reason", "auth", "context", "toplevel", "object", "AUTH", "username", "default",
		"age-seconds", 1.5), entry[:6])
	require.Equal(t, "client-info", entry[6].Key)
	require.Contains(t, entry[6].Value, "id=2 addr=127.0.0.1:50002 ")
	require.NotContains(t, entry[6].Value, "\n")
	entry = log[1].(resptest.Map)
	require.Equal(t, servertest.MapOf("object", "hello", "username", "bob"), entry[3:5])
	require.Len(t, h.Do("ACL LOG 1"), 1)
	require.Empty(t, h.Do("ACL LOG 0"))
	require.Empty(t, h.Do("ACL LOG -1"))
	h.Want("ACL LOG x", commands.ErrNotInteger)
	h.Want("ACL LOG 1 2", commands.Error("ERR unknown subcommand or wrong number of arguments for 'LOG'. Try ACL HELP."))

	h.Do("MULTI")
	h.Do("AUTH wrong")
	h.Do("EXEC")
	require.Equal(t, servertest.MapOf("context", "multi"), h.Do("ACL LOG 1").([]any)[0].(resptest.Map)[2:3])
	h.Want("ACL LOG reset", ok)
	require.Empty(t, h.Do("ACL LOG"))
	h.Do("CONFIG SET acllog-max-len 1")
	guess.Do("AUTH a b")
	guess.Do("AUTH c d")
	require.Len(t, h.Do("ACL LOG"), 1)
}
