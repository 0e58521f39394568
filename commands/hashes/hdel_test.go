package hashes

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

func TestHDel(t *testing.T) {
	h := servertest.New(t)
	h.Want("HDEL h a", 0)
	h.Do("HSET h a 3 b -5 c 007 d ''")
	h.Want("HDEL h a x d a", 2)
	h.Want("HGETALL h", []string{"b", "-5", "c", "007"})
	h.Want("HDEL h b c", 2)
	h.Want("EXISTS h", 0)
	h.Want("HLEN h", 0)
	h.Want("HGETALL h", []any{})
	h.Do("INCR s")
	h.Want("HDEL s a", commands.ErrWrongType)
	h.Want("HDEL s", commands.Error("ERR wrong number of arguments for 'hdel' command"))
}
