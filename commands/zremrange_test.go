package commands

import "testing"

func TestZRemRange(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD z 1 a 2 b 3 c 4 d 5 e 6 f")
	h.want("ZREMRANGEBYRANK z 0 0", 1)
	h.want("ZREMRANGEBYRANK z -1 100", 1)
	h.want("ZREMRANGEBYRANK z 3 2", 0)
	h.want("ZREMRANGEBYSCORE z (2 3", 1)
	h.want("ZREMRANGEBYSCORE z 10 20", 0)
	h.want("ZRANGE z 0 -1", []string{"b", "d", "e"})
	h.want("ZREMRANGEBYSCORE z -inf +inf", 3)
	h.want("GET z", nil)
	h.do("ZADD z 0 a 0 b 0 c")
	h.want("ZREMRANGEBYLEX z (a +", 2)
	h.want("ZREMRANGEBYLEX z - [a", 1)
	h.want("ZREMRANGEBYLEX z - +", 0)

	h.do("INCR s")
	h.want("ZREMRANGEBYRANK s x 0", errNotInteger)
	h.want("ZREMRANGEBYRANK s 0 1.5", errNotInteger)
	h.want("ZREMRANGEBYSCORE s a b", errMinMaxFloat)
	h.want("ZREMRANGEBYLEX s a b", errMinMaxLex)
	h.want("ZREMRANGEBYRANK s 0 0", errWrongType)
	h.want("ZREMRANGEBYSCORE s 0 0", errWrongType)
	h.want("ZREMRANGEBYLEX s - +", errWrongType)
}
