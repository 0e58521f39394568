package commands

import (
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

func TestClientInfo(t *testing.T) {
	h := newHarness(t)
	h.do("CLIENT SETNAME me")
	h.advance(90 * time.Second)
	line := h.do("CLIENT INFO").(string)
	require.Equal(t, "id=1 addr=127.0.0.1:50001 laddr=127.0.0.1:6379 fd=-1 name=me age=90 idle=0 flags=N db=0 sub=0 psub=0 ssub=0 multi=-1 "+
		"qbuf=26 qbuf-free=0 argv-mem=10 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=0 events=r cmd=client|info user=default "+
		"redir=-1 resp=2 lib-name= lib-ver=\n", line)
	h.do("HELLO 3")
	require.Equal(t, "txt", h.do("CLIENT INFO").(resptest.Verbatim).Format)
}

func TestClientList(t *testing.T) {
	h := newHarness(t)
	other, third := h.client(t), h.client(t)
	other.do("CLIENT SETNAME other")
	other.do("MULTI")
	other.do("INCRBY k 1234")
	third.do("NOSUCH")
	h.advance(3 * time.Second)

	lines := strings.Split(h.do("CLIENT LIST").(string), "\n")
	require.Len(t, lines, 4)
	require.Contains(t, lines[0], "id=1 ")
	require.Contains(t, lines[0], " idle=0 ")
	require.Contains(t, lines[0], " cmd=client|list ")
	for _, want := range []string{"id=2 ", " name=other ", " idle=3 ", " flags=x ", " multi=1 ", " qbuf=0 ", " cmd=incrby "} {
		require.Contains(t, lines[1], want)
	}
	require.Contains(t, lines[2], " cmd=NULL ")

	require.Equal(t, lines[1]+"\n", h.do("CLIENT LIST ID 2 99"))
	require.Equal(t, 3, strings.Count(h.do("CLIENT LIST TYPE normal").(string), "\n"))
	h.want("CLIENT LIST TYPE replica", "")
	h.want("CLIENT LIST TYPE slave", "")
	h.want("CLIENT LIST TYPE x", Error("ERR Unknown client type 'x'"))
	h.want("CLIENT LIST ID x", Error("ERR Invalid client ID"))
	h.want("CLIENT LIST ID", Error("ERR syntax error"))
}
