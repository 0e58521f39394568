package commands

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
