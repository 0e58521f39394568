package sets

import (
	"fmt"
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestSMove(t *testing.T) {
	h := servertest.New(t)
	h.Want("SMOVE s t 5", 0)
	h.Do("SADD s 5 10")
	h.Want("SMOVE s t 5", 1)
	h.Want("SMOVE s t 5", 0)
	h.Want("SMEMBERS s", []string{"10"})
	h.Want("SMEMBERS t", []string{"5"})
	h.Want("SMOVE s s 10", 1)
	h.Want("SMOVE s s x", 0)
	h.Want("SMEMBERS s", []string{"10"})
	h.Do("SADD t 10")
	h.Want("SMOVE s t 10", 1)
	h.Want("EXISTS s", 0)
	h.Want("SMEMBERS t", []string{"5", "10"})
}

func TestSMoveErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	h.Do("SADD s a")
	h.Want("SMOVE n s a", commands.ErrWrongType)
	h.Want("SMOVE n absent a", commands.ErrWrongType)
	h.Want("SMOVE s n a", commands.ErrWrongType)
	h.Want("SMOVE s n x", commands.ErrWrongType)
	h.Want("SMOVE absent n a", 0)
	h.Want("SMEMBERS s", []string{"a"})
	h.Want("GET n", "1")
}

// TestSMoveWithoutMemory: a member that finds no memory in the other set stays where it is.
func TestSMoveWithoutMemory(t *testing.T) {
	refuse := false
	h := servertest.NewAt(t, &servertest.Edge{Refuse: func(int) bool { return refuse }})
	h.Do("SADD {s} a b")
	for refused := range 10_000 {
		refuse = true
		reply := h.Do(fmt.Sprintf("SMOVE {s} {s}%d a", refused))
		refuse = false
		if reply != int64(1) {
			require.ErrorContains(t, reply.(error), "OOM")
			h.Want("SMISMEMBER {s} a b", []any{1, 1})
			return
		}
		h.Do("SADD {s} a")
	}
	t.Fatal("the memory never runs out")
}
