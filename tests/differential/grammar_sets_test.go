package differential

import "strconv"

// setMember returns a member of a set. Some sets have integers only.
func (g *generator) setMember() string {
	if g.chance(0.3) {
		return g.integer()
	}
	return g.member()
}

// manyIntegers is more than the compact encoding of integers holds.
func (g *generator) manyIntegers() []string {
	var args []string
	for i := range 520 {
		args = append(args, strconv.Itoa(i*i))
	}
	return args
}

func setMember(g *generator) string { return g.setMember() }

// setKeys returns some keys of sets.
func (g *generator) setKeys() []string { return g.list(1, 3, g.setKey) }

func (g *generator) setsToStore() []string { return append([]string{g.setKey()}, g.setKeys()...) }

var setGrammar = []production{
	{"SADD", 20, func(g *generator) []string { return append([]string{g.setKey()}, g.list(1, 4, g.setMember)...) }},
	{"SADD", 6, func(g *generator) []string { return append([]string{g.intsKey()}, g.list(1, 4, g.integer)...) }},
	{"SADD", 1, func(g *generator) []string { return append([]string{g.intsKey()}, g.manyIntegers()...) }},
	{"SREM", 7, func(g *generator) []string { return append([]string{g.setKey()}, g.list(1, 4, g.setMember)...) }},
	{"SISMEMBER", 4, keyed(onSet, setMember)},
	{"SMISMEMBER", 3, func(g *generator) []string { return append([]string{g.setKey()}, g.list(1, 4, g.setMember)...) }},
	{"SMEMBERS", 5, keyed(onSet)},
	{"SCARD", 3, keyed(onSet)},
	{"SRANDMEMBER", 5, func(g *generator) []string { return g.random(g.setKey(), "x") }},
	{"SMOVE", 6, func(g *generator) []string { return []string{g.setKey(), g.setKey(), g.setMember()} }},
	{"SINTER", 4, (*generator).setKeys},
	{"SUNION", 4, (*generator).setKeys},
	{"SDIFF", 4, (*generator).setKeys},
	{"SINTERSTORE", 4, (*generator).setsToStore},
	{"SUNIONSTORE", 4, (*generator).setsToStore},
	{"SDIFFSTORE", 4, (*generator).setsToStore},
	{"SINTERCARD", 4, func(g *generator) []string {
		keys := g.setKeys()
		return append(append([]string{g.pick(strconv.Itoa(len(keys)), strconv.Itoa(len(keys)), "0", "5", "x")}, keys...), g.some(0.3, "LIMIT "+g.integer())...)
	}},
	{"SSCAN", 5, func(g *generator) []string { return append([]string{g.setKey(), g.cursor()}, g.scanOptions()...) }},
	{"ZUNIONSTORE", 1, func(g *generator) []string { return []string{g.zsetKey(), "2", g.setKey(), g.zsetKey()} }},
	{"ZINTER", 1, func(g *generator) []string { return []string{"2", g.zsetKey(), g.setKey(), "WITHSCORES"} }},
	{"ZDIFF", 1, func(g *generator) []string { return []string{"2", g.zsetKey(), g.setKey()} }},
}
