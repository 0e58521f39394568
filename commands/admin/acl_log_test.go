package admin

import (
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

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

func TestACLLogKeepsDenials(t *testing.T) {
	h := servertest.New(t)
	h.Want("ACL SETUSER alice on nopass ~a &a +get +publish +multi +exec", ok)
	c := h.NewClient(t)
	c.Want("AUTH alice x", ok)
	for _, line := range []string{"DEL a", "DEL b", "GET b", "PUBLISH b x", "CLIENT LIST"} {
		require.Contains(t, c.Do(line), "NOPERM", line)
	}
	c.Want("MULTI", ok)
	require.Contains(t, c.Do("GET b"), "NOPERM")
	h.Do("HELLO 3")
	var got []any
	for _, e := range h.Do("ACL LOG").([]any) {
		for _, pair := range e.(resptest.Map)[:5] {
			got = append(got, pair.Value)
		}
	}
	require.Equal(t, []any{
		int64(1), "key", "multi", "b", "alice",
		int64(1), "command", "toplevel", "client|list", "alice",
		int64(1), "channel", "toplevel", "b", "alice",
		int64(1), "key", "toplevel", "b", "alice",
		int64(2), "command", "toplevel", "del", "alice",
	}, got)
}
