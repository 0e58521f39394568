package differential

import "strconv"

func (g *generator) fieldsAndValues(hi int) []string {
	var args []string
	for range 1 + g.IntN(hi) {
		args = append(args, g.member(), g.value())
	}
	return args
}

// manyFields is more than the compact encoding holds.
func (g *generator) manyFields() []string {
	var args []string
	for i := range 520 {
		args = append(args, "f"+strconv.Itoa(i), strconv.Itoa(i))
	}
	return args
}

var hashGrammar = []production{
	{"HSET", 20, func(g *generator) []string { return append([]string{g.hashKey()}, g.fieldsAndValues(4)...) }},
	{"HSET", 1, func(g *generator) []string { return append([]string{g.hashKey()}, g.manyFields()...) }},
	{"HMSET", 4, func(g *generator) []string { return append([]string{g.hashKey()}, g.fieldsAndValues(3)...) }},
	{"HSETNX", 5, keyed(onHash, member, value)},
	{"HGET", 5, keyed(onHash, member)},
	{"HMGET", 4, func(g *generator) []string { return append([]string{g.hashKey()}, g.list(1, 4, g.member)...) }},
	{"HGETALL", 5, keyed(onHash)},
	{"HKEYS", 2, keyed(onHash)},
	{"HVALS", 2, keyed(onHash)},
	{"HLEN", 3, keyed(onHash)},
	{"HEXISTS", 3, keyed(onHash, member)},
	{"HSTRLEN", 3, keyed(onHash, member)},
	{"HDEL", 7, func(g *generator) []string { return append([]string{g.hashKey()}, g.list(1, 4, g.member)...) }},
	{"HINCRBY", 8, keyed(onHash, member, integer)},
	{"HINCRBYFLOAT", 8, keyed(onHash, member, float)},
	{"HRANDFIELD", 5, func(g *generator) []string { return g.random(g.hashKey(), "WITHVALUES") }},
	{"HSCAN", 5, func(g *generator) []string { return append([]string{g.hashKey(), g.cursor()}, g.scanOptions()...) }},
}

// random returns the arguments of a command that chooses members of a key.
func (g *generator) random(key string, options ...string) []string {
	args := []string{key}
	if g.chance(0.8) {
		args = append(args, g.integer())
		args = append(args, g.some(0.4, options...)...)
	}
	return args
}
