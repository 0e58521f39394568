package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestZRank(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 2 b 2 a 1 c")
	h.Want("ZRANK z c", 0)
	h.Want("ZRANK z a", 1)
	h.Want("ZRANK z b", 2)
	h.Want("ZREVRANK z b", 0)
	h.Want("ZREVRANK z c", 2)
	h.Want("ZRANK z x", nil)
	h.Want("ZREVRANK absent x", nil)
	h.Want("ZRANK z a WITHSCORE", commands.Error("ERR wrong number of arguments for 'zrank' command"))
	h.Do("INCR s")
	h.Want("ZREVRANK s a", commands.ErrWrongType)
}
