package lists

import (
	"fmt"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestPush(t *testing.T) {
	h := servertest.New(t)
	h.Want("LPUSHX l a", 0)
	h.Want("RPUSHX l a", 0)
	h.Want("EXISTS l", 0)
	h.Want("LPUSH l a b", 2)
	h.Want("RPUSH l c 7 007", 5)
	h.Want("LPUSHX l d e", 7)
	h.Want("RPUSHX l ''", 8)
	h.Want("LRANGE l 0 -1", []string{"e", "d", "b", "a", "c", "7", "007", ""})
	h.Want("TYPE l", resptest.Simple("list"))
	h.Want("OBJECT ENCODING l", "quicklist")
}

func TestPushErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	for _, name := range []string{"LPUSH", "RPUSH", "LPUSHX", "RPUSHX"} {
		h.Want(name+" n a", commands.ErrWrongType)
		h.Want(name+" l", commands.WrongArity(strings.ToLower(name)))
	}
	h.Want("EXISTS l", 0)
}

// TestMemoryOfLists requires that the memory of a list is counted, and given back.
func TestMemoryOfLists(t *testing.T) {
	h := servertest.New(t)
	h.Want("MEMORY USAGE l", nil)
	empty := h.Store.Used()
	for i := range 5000 {
		h.Do("RPUSH", "l", fmt.Sprint("element ", i))
	}
	require.InDelta(t, 5000*14, h.Store.Used()-empty, 5000*14*0.15, "a block has few bytes beside its elements")
	h.Want("COPY l m", 1)
	h.Do("LTRIM l 0 99")
	require.Less(t, h.Do("MEMORY USAGE l").(int64), int64(3000))
	h.Want("LLEN m", 5000)
	h.Do("DEL l m")
	require.Equal(t, empty, h.Store.Used())
}
