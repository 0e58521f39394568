package differential

import "strconv"

func (g *generator) scoresAndMembers(hi int) []string {
	var args []string
	for range 1 + g.IntN(hi) {
		args = append(args, g.float(), g.member())
	}
	return args
}

// manyMembers is more than the compact encoding holds.
func (g *generator) manyMembers() []string {
	var args []string
	for i := range 130 {
		args = append(args, strconv.Itoa(i%40), "m"+strconv.Itoa(i))
	}
	return args
}

// rangeArgs returns the key, start, stop and options of ZRANGE. Most of them fit together.
func (g *generator) rangeArgs(options ...string) []string {
	by := g.pick("", "", "BYSCORE", "BYLEX")
	args := []string{g.zsetKey()}
	switch by {
	case "BYSCORE":
		args = append(args, g.scoreBound(), g.scoreBound())
	case "BYLEX":
		args = []string{g.lexKey(), g.lexBound(), g.lexBound()}
	default:
		args = append(args, g.rank(), g.rank())
	}
	limit := "LIMIT " + g.limit()[0] + " " + g.limit()[1]
	tail := g.some(0.3, append(options, "REV")...)
	if by != "" {
		tail = append(tail, by)
		tail = append(tail, g.some(0.4, limit)...)
	} else {
		tail = append(tail, g.some(0.05, limit, "BYLEX", "BYSCORE")...)
	}
	return append(args, tail...)
}

func (g *generator) byScore(options ...string) []string {
	args := []string{g.zsetKey(), g.scoreBound(), g.scoreBound()}
	return append(args, g.some(0.35, append(options, "LIMIT "+g.limit()[0]+" "+g.limit()[1])...)...)
}

func (g *generator) byLex() []string {
	args := []string{g.lexKey(), g.lexBound(), g.lexBound()}
	return append(args, g.some(0.35, "LIMIT "+g.limit()[0]+" "+g.limit()[1])...)
}

// keyCount returns numkeys and keys. At times the count is wrong.
func (g *generator) keyCount() []string {
	keys := g.list(1, 3, g.zsetKey)
	n := strconv.Itoa(len(keys))
	if g.chance(0.06) {
		n = g.pick("0", "-1", "abc", "5", "1", "2", "")
	}
	return append([]string{n}, keys...)
}

// combination returns the arguments of the unions and intersections.
func (g *generator) combination(options ...string) []string {
	args := g.keyCount()
	if g.chance(0.3) {
		args = append(args, "WEIGHTS")
		for range len(args) - 2 {
			args = append(args, g.float())
		}
	}
	if g.chance(0.3) {
		args = append(args, "AGGREGATE", g.pick("SUM", "MIN", "MAX", "sum", "AVG"))
	}
	return append(args, g.some(0.4, options...)...)
}

func lexBound(g *generator) string   { return g.lexBound() }
func scoreBound(g *generator) string { return g.scoreBound() }
func member(g *generator) string     { return g.member() }

var zsetReadGrammar = []production{
	{"ZCARD", 3, keyed(onZset)},
	{"ZSCORE", 4, keyed(onZset, member)},
	{"ZMSCORE", 3, func(g *generator) []string { return append([]string{g.zsetKey()}, g.list(1, 4, g.member)...) }},
	{"ZRANK", 3, keyed(onZset, member)},
	{"ZREVRANK", 3, keyed(onZset, member)},
	{"ZCOUNT", 4, keyed(onZset, scoreBound, scoreBound)},
	{"ZLEXCOUNT", 3, keyed(onLex, lexBound, lexBound)},
	{"ZRANGE", 10, func(g *generator) []string { return g.rangeArgs("WITHSCORES") }},
	{"ZREVRANGE", 3, func(g *generator) []string {
		return append([]string{g.zsetKey(), g.rank(), g.rank()}, g.some(0.4, "WITHSCORES")...)
	}},
	{"ZRANGEBYSCORE", 5, func(g *generator) []string { return g.byScore("WITHSCORES") }},
	{"ZREVRANGEBYSCORE", 5, func(g *generator) []string { return g.byScore("WITHSCORES") }},
	{"ZRANGEBYLEX", 4, func(g *generator) []string { return g.byLex() }},
	{"ZREVRANGEBYLEX", 4, func(g *generator) []string { return g.byLex() }},
	{"ZRANDMEMBER", 5, func(g *generator) []string {
		args := []string{g.zsetKey()}
		if g.chance(0.8) {
			args = append(args, g.integer())
			args = append(args, g.some(0.4, "WITHSCORES")...)
		}
		return args
	}},
	{"ZSCAN", 5, func(g *generator) []string { return append([]string{g.zsetKey(), g.cursor()}, g.scanOptions()...) }},
	{"ZUNION", 5, func(g *generator) []string { return g.combination("WITHSCORES") }},
	{"ZINTER", 5, func(g *generator) []string { return g.combination("WITHSCORES") }},
	{"ZDIFF", 4, func(g *generator) []string { return append(g.keyCount(), g.some(0.4, "WITHSCORES")...) }},
	{"ZINTERCARD", 4, func(g *generator) []string { return append(g.keyCount(), g.some(0.4, "LIMIT "+g.integer())...) }},
}

var zsetWriteGrammar = []production{
	{"ZADD", 5, func(g *generator) []string { return g.lexMembers() }},
	{"ZADD", 26, func(g *generator) []string { return append([]string{g.zsetKey()}, g.scoresAndMembers(4)...) }},
	{"ZADD", 10, func(g *generator) []string {
		args := append([]string{g.zsetKey()}, g.some(0.22, "NX", "XX", "GT", "LT", "CH", "INCR")...)
		return append(args, g.scoresAndMembers(2)...)
	}},
	{"ZADD", 1, func(g *generator) []string { return append([]string{g.zsetKey()}, g.manyMembers()...) }},
	{"ZINCRBY", 7, keyed(onZset, float, member)},
	{"ZREM", 5, func(g *generator) []string { return append([]string{g.zsetKey()}, g.list(1, 3, g.member)...) }},
	{"ZREMRANGEBYRANK", 2, keyed(onZset, integer, integer)},
	{"ZREMRANGEBYSCORE", 3, keyed(onZset, scoreBound, scoreBound)},
	{"ZREMRANGEBYLEX", 2, keyed(onLex, lexBound, lexBound)},
	{"ZRANGESTORE", 6, func(g *generator) []string { return append([]string{g.zsetKey()}, g.rangeArgs()...) }},
	{"ZPOPMIN", 3, func(g *generator) []string { return append([]string{g.zsetKey()}, g.list(0, 1, g.integer)...) }},
	{"ZPOPMAX", 3, func(g *generator) []string { return append([]string{g.zsetKey()}, g.list(0, 1, g.integer)...) }},
	{"ZMPOP", 4, func(g *generator) []string {
		return append(append(g.keyCount(), g.pick("MIN", "MAX", "MIN", "MID")), g.some(0.4, "COUNT "+g.integer())...)
	}},
	{"ZUNIONSTORE", 5, func(g *generator) []string { return append([]string{g.zsetKey()}, g.combination()...) }},
	{"ZINTERSTORE", 5, func(g *generator) []string { return append([]string{g.zsetKey()}, g.combination()...) }},
	{"ZDIFFSTORE", 3, func(g *generator) []string { return append([]string{g.zsetKey()}, g.keyCount()...) }},
}
