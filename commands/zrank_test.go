package commands

import "testing"

func TestZRank(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD z 2 b 2 a 1 c")
	h.want("ZRANK z c", 0)
	h.want("ZRANK z a", 1)
	h.want("ZRANK z b", 2)
	h.want("ZREVRANK z b", 0)
	h.want("ZREVRANK z c", 2)
	h.want("ZRANK z x", nil)
	h.want("ZREVRANK absent x", nil)
	h.want("ZRANK z a WITHSCORE", Error("ERR wrong number of arguments for 'zrank' command"))
	h.do("INCR s")
	h.want("ZREVRANK s a", errWrongType)
}
