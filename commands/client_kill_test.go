package commands

import (
	"testing"

	"cellserver/resp"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestClientKill(t *testing.T) {
	h := newHarness(t)
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
		h.want(line, Error(want))
	}
	require.False(t, h.closed)

	for _, filter := range []string{"127.0.0.1:50002", "ID 3", "ADDR 127.0.0.1:50004", "ID 5 TYPE normal USER default LADDR 127.0.0.1:6379"} {
		victim := h.client(t)
		if filter == "127.0.0.1:50002" {
			h.want("CLIENT KILL "+filter, ok)
		} else {
			h.want("CLIENT KILL "+filter, 1)
		}
		require.True(t, victim.closed, filter)
		victim.send([]byte("PING\r\n"))
		require.Equal(t, resp.Close, victim.status)
		require.Empty(t, victim.session.Output())
		victim.state.Closed()
	}
	h.want("CLIENT KILL ID 1", 0)
	h.want("CLIENT KILL TYPE pubsub", 0)
	a, b := h.client(t), h.client(t)
	h.want("CLIENT KILL SKIPME yes", 2)
	require.True(t, a.closed && b.closed)
}

func TestClientKillSelf(t *testing.T) {
	h := newHarness(t)
	h.want("CLIENT KILL ID 1 SKIPME no", 1)
	require.Equal(t, resp.Close, h.status)

	old := h.client(t)
	old.want("CLIENT KILL 127.0.0.1:50002", ok)
	require.Equal(t, resp.Close, old.status)

	inside := h.client(t)
	inside.do("MULTI")
	inside.do("CLIENT KILL ID 3 SKIPME no")
	inside.do("PING")
	require.Equal(t, []any{int64(1), resptest.Simple("PONG")}, inside.do("EXEC"))
	require.Equal(t, resp.Close, inside.status)
}
