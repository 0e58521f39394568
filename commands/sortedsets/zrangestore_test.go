package sortedsets

import (
	"cellserver/server/servertest"
	"testing"
)

func TestZRangeStore(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 1 a 2 b 3 c 4 d")
	h.Do("INCR dst")
	h.Want("ZRANGESTORE dst z 1 2", 2)
	h.Want("ZRANGE dst 0 -1 WITHSCORES", []string{"b", "2", "c", "3"})
	h.Want("ZRANGESTORE dst z 0 1 REV", 2)
	h.Want("ZRANGE dst 0 -1", []string{"c", "d"})
	h.Want("ZRANGESTORE dst z (4 1 BYSCORE REV LIMIT 1 1", 1)
	h.Want("ZRANGE dst 0 -1", []string{"b"})
	h.Want("ZRANGESTORE dst z [a [b BYLEX LIMIT 0 0", 0)
	h.Want("GET dst", nil)
	h.Want("ZRANGESTORE z z 2 -1", 2)
	h.Want("ZRANGE z 0 -1", []string{"c", "d"})
	h.Want("ZRANGESTORE z absent 0 -1", 0)
	h.Want("GET z", nil)
}
