package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestZRemRange(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 1 a 2 b 3 c 4 d 5 e 6 f")
	h.Want("ZREMRANGEBYRANK z 0 0", 1)
	h.Want("ZREMRANGEBYRANK z -1 100", 1)
	h.Want("ZREMRANGEBYRANK z 3 2", 0)
	h.Want("ZREMRANGEBYSCORE z (2 3", 1)
	h.Want("ZREMRANGEBYSCORE z 10 20", 0)
	h.Want("ZRANGE z 0 -1", []string{"b", "d", "e"})
	h.Want("ZREMRANGEBYSCORE z -inf +inf", 3)
	h.Want("GET z", nil)
	h.Do("ZADD z 0 a 0 b 0 c")
	h.Want("ZREMRANGEBYLEX z (a +", 2)
	h.Want("ZREMRANGEBYLEX z - [a", 1)
	h.Want("ZREMRANGEBYLEX z - +", 0)

	h.Do("INCR s")
	h.Want("ZREMRANGEBYRANK s x 0", commands.ErrNotInteger)
	h.Want("ZREMRANGEBYRANK s 0 1.5", commands.ErrNotInteger)
	h.Want("ZREMRANGEBYSCORE s a b", errMinMaxFloat)
	h.Want("ZREMRANGEBYLEX s a b", errMinMaxLex)
	h.Want("ZREMRANGEBYRANK s 0 0", commands.ErrWrongType)
	h.Want("ZREMRANGEBYSCORE s 0 0", commands.ErrWrongType)
	h.Want("ZREMRANGEBYLEX s - +", commands.ErrWrongType)
}
