package commands

import "testing"

func TestZRangeStore(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD z 1 a 2 b 3 c 4 d")
	h.do("INCR dst")
	h.want("ZRANGESTORE dst z 1 2", 2)
	h.want("ZRANGE dst 0 -1 WITHSCORES", []string{"b", "2", "c", "3"})
	h.want("ZRANGESTORE dst z 0 1 REV", 2)
	h.want("ZRANGE dst 0 -1", []string{"c", "d"})
	h.want("ZRANGESTORE dst z (4 1 BYSCORE REV LIMIT 1 1", 1)
	h.want("ZRANGE dst 0 -1", []string{"b"})
	h.want("ZRANGESTORE dst z [a [b BYLEX LIMIT 0 0", 0)
	h.want("GET dst", nil)
	h.want("ZRANGESTORE z z 2 -1", 2)
	h.want("ZRANGE z 0 -1", []string{"c", "d"})
	h.want("ZRANGESTORE z absent 0 -1", 0)
	h.want("GET z", nil)
}
