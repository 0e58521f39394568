package differential

import (
	"strconv"
	"strings"
)

func (g *generator) elements() []string { return g.list(1, 4, g.element) }

// element returns one of few elements, so that many are equal, or any value.
func (g *generator) element() string {
	if g.chance(0.7) {
		return g.member()
	}
	return g.value()
}

func element(g *generator) string { return g.element() }

func (g *generator) end() string { return g.pick("LEFT", "RIGHT", "LEFT", "RIGHT", "left", "UP") }

// manyElements is more than a block holds.
func (g *generator) manyElements() []string {
	args := []string{g.listKey()}
	for i := range 300 {
		args = append(args, strconv.Itoa(i%50))
	}
	return append(args, strings.Repeat("long", 700))
}

func (g *generator) push() []string { return append([]string{g.listKey()}, g.elements()...) }

func (g *generator) pop() []string { return append([]string{g.listKey()}, g.some(0.4, g.integer())...) }

var listGrammar = []production{
	{"LPUSH", 9, (*generator).push},
	{"RPUSH", 9, (*generator).push},
	{"LPUSH", 1, (*generator).manyElements},
	{"RPUSH", 1, (*generator).manyElements},
	{"LPUSHX", 3, (*generator).push},
	{"RPUSHX", 3, (*generator).push},
	{"LPOP", 4, (*generator).pop},
	{"RPOP", 4, (*generator).pop},
	{"LLEN", 3, keyed(onList)},
	{"LINDEX", 4, keyed(onList, integer)},
	{"LRANGE", 6, keyed(onList, integer, integer)},
	{"LSET", 5, keyed(onList, integer, element)},
	{"LINSERT", 6, func(g *generator) []string {
		return []string{g.listKey(), g.pick("BEFORE", "AFTER", "BEFORE", "AFTER", "IN"), g.element(), g.element()}
	}},
	{"LREM", 5, keyed(onList, integer, element)},
	{"LTRIM", 2, keyed(onList, integer, integer)},
	{"LTRIM", 3, func(g *generator) []string {
		return []string{g.listKey(), strconv.Itoa(g.IntN(3)), strconv.Itoa(-1 - g.IntN(3))}
	}},
	{"LPOS", 7, func(g *generator) []string {
		return append([]string{g.listKey(), g.element()}, g.some(0.35, "RANK "+g.integer(), "COUNT "+g.integer(), "MAXLEN "+g.integer())...)
	}},
	{"LMOVE", 7, func(g *generator) []string { return []string{g.listKey(), g.listKey(), g.end(), g.end()} }},
	{"RPOPLPUSH", 4, func(g *generator) []string { return []string{g.listKey(), g.listKey()} }},
	{"LMPOP", 5, func(g *generator) []string {
		keys := g.list(1, 3, g.listKey)
		return append(append([]string{g.pick(strconv.Itoa(len(keys)), strconv.Itoa(len(keys)), "0", "5", "x")}, keys...), append([]string{g.end()}, g.some(0.4, "COUNT "+g.integer())...)...)
	}},
}
