package connection

import (
	"testing"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestClientKill(t *testing.T) {
	h := servertest.New(t)
	for line, want := range map[string]string{
		"CLIENT KILL":                   "ERR wrong number of arguments for 'client|kill' command",
		"CLIENT KILL 1.2.3.4:5":         "ERR No such client",
		`CLIENT KILL ""`:                "ERR No such client",
		"CLIENT KILL id 10 wrong_arg":   "ERR syntax error",
		"CLIENT KILL id str":            "ERR client-id should be greater than 0",
		"CLIENT KILL id 0":              "ERR client-id should be greater than 0",
		"CLIENT KILL type wrong":        "ERR Unknown client type 'wrong'",
		"CLIENT KILL user wrong":        "ERR No such user 'wrong'",
		"CLIENT KILL skipme yes_or_no":  "ERR syntax error",
		"CLIENT KILL id 1 skipme maybe": "ERR syntax error",
	} {
		h.Want(line, commands.Error(want))
	}
	require.False(t, h.Closed)

	for _, filter := range []string{"127.0.0.1:50002", "ID 3", "ADDR 127.0.0.1:50004", "ID 5 TYPE normal USER default LADDR 127.0.0.1:6379"} {
		victim := h.NewClient(t)
		if filter == "127.0.0.1:50002" {
			h.Want("CLIENT KILL "+filter, ok)
		} else {
			h.Want("CLIENT KILL "+filter, 1)
		}
		require.True(t, victim.Closed, filter)
		victim.Send([]byte("PING\r\n"))
		require.Equal(t, resp.Close, victim.Status)
		h.Want("CLIENT KILL TYPE normal", 0) // it is killed once
		require.Empty(t, victim.Session.Output())
		victim.State.Closed()
	}
	h.Want("CLIENT KILL ID 1", 0)
	h.Want("CLIENT KILL TYPE pubsub", 0)
	a, b := h.NewClient(t), h.NewClient(t)
	h.Want("CLIENT KILL SKIPME yes", 2)
	require.True(t, a.Closed && b.Closed)
}

func TestClientKillSelf(t *testing.T) {
	h := servertest.New(t)
	h.Want("CLIENT KILL ID 1 SKIPME no", 1)
	require.Equal(t, resp.Close, h.Status)

	old := h.NewClient(t)
	old.Want("CLIENT KILL 127.0.0.1:50002", ok)
	require.Equal(t, resp.Close, old.Status)

	inside := h.NewClient(t)
	inside.Do("MULTI")
	inside.Do("CLIENT KILL ID 3 SKIPME no")
	inside.Do("PING")
	require.Equal(t, []any{int64(1), resptest.Simple("PONG")}, inside.Do("EXEC"))
	require.Equal(t, resp.Close, inside.Status)
}

// TestClientKillGuests: as in Redis, a client that has not authenticated is the default user.
func TestClientKillGuests(t *testing.T) {
	h := servertest.New(t)
	h.Want("CONFIG SET requirepass secret", ok)
	guest := h.NewClient(t)
	guest.Want("PING", commands.Error("NOAUTH Authentication required."))
	h.Want("ACL SETUSER ann on nopass", ok)
	h.Want("CLIENT KILL USER ann", 0)
	require.False(t, guest.Closed)
	h.Want("CLIENT KILL USER default", 1)
	require.True(t, guest.Closed)
}
