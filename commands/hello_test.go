package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHello(t *testing.T) {
	h := newHarness(t)
	h.want("HELLO", []any{"server", "redis", "version", "7.0.15", "proto", 2, "id", 1, "mode", "standalone", "role", "master", "modules", []any{}})
	require.Equal(t, mapOf("server", "redis", "version", "7.0.15", "proto", 3, "id", 1, "mode", "standalone", "role", "master", "modules", []any{}), h.do("HELLO 3"))
	h.want("GET k", nil)
	h.want("HELLO 4", errNoProto)
	h.want("HELLO x", errProtocol)
	h.want("HELLO 2 FOO", Error("ERR Syntax error in HELLO option 'FOO'"))
	h.want("HELLO 2 SETNAME", Error("ERR Syntax error in HELLO option 'SETNAME'"))
	h.want(`HELLO 2 SETNAME "a b"`, errClientBadName)
	require.Len(t, h.do("HELLO"), 7, "an error changes nothing")
	h.do("HELLO 2 SETNAME me")
	h.want("CLIENT GETNAME", "me")
}

func TestHelloAuthenticates(t *testing.T) {
	h := newHarness(t, "--requirepass", "secret")
	h.want("HELLO 3", errHelloNoAuth)
	h.want("HELLO 3 AUTH default wrong SETNAME me", errWrongPass)
	require.Len(t, h.do("HELLO 3 AUTH default secret SETNAME me"), 7)
	h.want("CLIENT GETNAME", "me")
}
