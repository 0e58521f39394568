package connection

import (
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestClientInfo(t *testing.T) {
	h := servertest.New(t)
	h.Do("CLIENT SETNAME me")
	h.Advance(90 * time.Second)
	line := h.Do("CLIENT INFO").(string)
	require.Equal(t, "id=1 addr=127.0.0.1:50001 laddr=127.0.0.1:6379 fd=-1 name=me age=90 idle=0 flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 "+
		"qbuf=26 qbuf-free=0 argv-mem=10 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=0 events=r cmd=client|info user=default "+
		"redir=-1 resp=2 lib-name= lib-ver=\n", line)
	h.Do("HELLO 3")
	require.Equal(t, "txt", h.Do("CLIENT INFO").(resptest.Verbatim).Format)
}

func TestClientList(t *testing.T) {
	h := servertest.New(t)
	other, third := h.NewClient(t), h.NewClient(t)
	other.Do("CLIENT SETNAME other")
	other.Do("MULTI")
	other.Do("INCRBY k 1234")
	third.Do("NOSUCH")
	h.Advance(3 * time.Second)

	lines := strings.Split(h.Do("CLIENT LIST").(string), "\n")
	require.Len(t, lines, 4)
	require.Contains(t, lines[0], "id=1 ")
	require.Contains(t, lines[0], " idle=0 ")
	require.Contains(t, lines[0], " cmd=client|list ")
	for _, want := range []string{"id=2 ", " name=other ", " idle=3 ", " flags=x ", " multi=1 ", " qbuf=0 ", " cmd=incrby "} {
		require.Contains(t, lines[1], want)
	}
	require.Contains(t, lines[2], " cmd=NULL ")

	require.Equal(t, lines[1]+"\n", h.Do("CLIENT LIST ID 2 99"))
	require.Equal(t, 3, strings.Count(h.Do("CLIENT LIST TYPE normal").(string), "\n"))
	h.Want("CLIENT LIST TYPE replica", "")
	h.Want("CLIENT LIST TYPE slave", "")
	h.Want("CLIENT LIST TYPE x", commands.Error("ERR Unknown client type 'x'"))
	h.Want("CLIENT LIST ID x", commands.Error("ERR Invalid client ID"))
	other.Do("DISCARD")
	other.Do("WATCH k")
	third.Do("INCR k")
	require.Contains(t, h.Do("CLIENT LIST ID 2"), " flags=d ")
	other.Do("CLIENT TRACKING on BCAST REDIRECT 1")
	require.Contains(t, h.Do("CLIENT LIST ID 2"), " flags=tBd ")
	other.Do("CLIENT TRACKING off")
	other.Do("UNWATCH")
	require.Contains(t, h.Do("CLIENT LIST ID 2"), " flags=N ")
	h.Want("CLIENT LIST ID", commands.Error("ERR syntax error"))
}
