package connection

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHello(t *testing.T) {
	h := servertest.New(t)
	h.Want("HELLO", []any{"server", "redis", "version", "7.0.15", "proto", 2, "id", 1, "mode", "standalone", "role", "master", "modules", []any{}})
	require.Equal(t, servertest.MapOf("server", "redis", "version", "7.0.15", "proto", 3, "id", 1, "mode", "standalone", "role", "master", "modules", []any{}), h.Do("HELLO 3"))
	h.Want("GET k", nil)
	h.Want("HELLO 4", errNoProto)
	h.Want("HELLO x", errProtocol)
	h.Want("HELLO 2 FOO", commands.Error("ERR Syntax error in HELLO option 'FOO'"))
	h.Want("HELLO 2 SETNAME", commands.Error("ERR Syntax error in HELLO option 'SETNAME'"))
	h.Want(`HELLO 2 SETNAME "a b"`, errClientBadName)
	require.Len(t, h.Do("HELLO"), 7, "an error changes nothing")
	h.Do("HELLO 2 SETNAME me")
	h.Want("CLIENT GETNAME", "me")
}

func TestHelloAuthenticates(t *testing.T) {
	h := servertest.New(t, "--requirepass", "secret")
	h.Want("HELLO 3", commands.ErrHelloNoAuth)
	h.Want("HELLO 3 AUTH default wrong SETNAME me", errWrongPass)
	require.Len(t, h.Do("HELLO 3 AUTH default secret SETNAME me"), 7)
	h.Want("CLIENT GETNAME", "me")
}
