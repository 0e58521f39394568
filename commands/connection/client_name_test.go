package connection

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClientName(t *testing.T) {
	h := servertest.New(t)
	h.Want("CLIENT ID", 1)
	h.NewClient(t).Want("CLIENT ID", 2)
	h.Want("CLIENT GETNAME", nil)
	h.Want("CLIENT SETNAME app-1", ok)
	h.Want("CLIENT GETNAME", "app-1")
	bad := commands.Error("ERR Client names cannot contain spaces, newlines or special characters.")
	h.Want(`CLIENT SETNAME "a b"`, bad)
	h.Want(`CLIENT SETNAME "a\nb"`, bad)
	h.Want("CLIENT GETNAME", "app-1")
	h.Want(`CLIENT SETNAME ""`, ok)
	h.Want("CLIENT GETNAME", nil)
}

func TestClientSetInfo(t *testing.T) {
	h := servertest.New(t)
	h.Want("CLIENT SETINFO LIB-NAME go-redis(,go1.26.8)", ok)
	h.Want("client setinfo lib-ver 9.23.0", ok)
	require.Contains(t, h.Do("CLIENT INFO"), " lib-name=go-redis(,go1.26.8) lib-ver=9.23.0\n")
	h.Want(`CLIENT SETINFO lib-name "a b"`, commands.Error("ERR lib-name cannot contain spaces, newlines or special characters."))
	h.Want("CLIENT SETINFO badger hamster", commands.Error("ERR Unrecognized option 'badger'"))
	h.Want("CLIENT SETINFO lib-name", commands.Error("ERR wrong number of arguments for 'client|setinfo' command"))
	require.Contains(t, h.Do("CLIENT INFO"), " lib-name=go-redis(,go1.26.8) ")
}
