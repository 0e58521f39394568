package differential

import "strings"

// expiryOption returns one way to set an expiry in SET and GETEX.
func (g *generator) expiryOption() string {
	unit := g.pick("EX", "PX", "EXAT", "PXAT")
	perSecond := int64(1)
	if unit[0] == 'P' {
		perSecond = 1000
	}
	text := g.span(perSecond)
	if strings.HasSuffix(unit, "AT") {
		text = g.moment(perSecond)
	}
	return unit + " " + text
}

// keyed makes the arguments of a command that takes a key and then rest.
func keyed(key func(*generator) string, rest ...func(*generator) string) func(*generator) []string {
	return func(g *generator) []string {
		args := []string{key(g)}
		for _, one := range rest {
			args = append(args, one(g))
		}
		return args
	}
}

var (
	onString = (*generator).stringKey
	onZset   = (*generator).zsetKey
	onHash   = (*generator).hashKey
	onSet    = (*generator).setKey
	onList   = (*generator).listKey
	onLex    = (*generator).lexKey
	onAny    = (*generator).anyKey
	value    = (*generator).value
	integer  = (*generator).integer
	float    = (*generator).float
)

func (g *generator) keysAndValues() []string {
	var args []string
	for range 1 + g.IntN(3) {
		args = append(args, g.stringKey(), g.value())
	}
	return args
}

func seconds(g *generator) string         { return g.span(1) }
func milliseconds(g *generator) string    { return g.span(1000) }
func unixSeconds(g *generator) string     { return g.moment(1) }
func unixMillisecond(g *generator) string { return g.moment(1000) }

var stringGrammar = []production{
	{"GET", 8, keyed(onString)},
	{"SET", 12, keyed(onString, value)},
	{"SET", 14, func(g *generator) []string {
		return append([]string{g.stringKey(), g.value()}, g.some(0.25, "NX", "XX", "GET", "KEEPTTL", g.expiryOption())...)
	}},
	{"SET", 2, func(g *generator) []string {
		return append([]string{g.stringKey(), g.value()}, g.some(0.3, "NX", "EX", "PX 10 PX 10", g.expiryOption(), g.value())...)
	}},
	{"SETNX", 4, keyed(onString, value)},
	{"SETEX", 4, keyed(onString, seconds, value)},
	{"PSETEX", 4, keyed(onString, milliseconds, value)},
	{"GETSET", 3, keyed(onString, value)},
	{"GETDEL", 3, keyed(onString)},
	{"GETEX", 6, func(g *generator) []string {
		return append([]string{g.stringKey()}, g.some(0.4, g.expiryOption(), g.pick("PERSIST", "PERSIST", "EX", "XX"))...)
	}},
	{"MGET", 4, func(g *generator) []string { return g.list(1, 5, g.anyKey) }},
	{"MSET", 4, func(g *generator) []string { return g.keysAndValues() }},
	{"MSETNX", 3, func(g *generator) []string { return g.keysAndValues() }},
	{"APPEND", 5, keyed(onString, value)},
	{"STRLEN", 4, keyed(onString)},
	{"GETRANGE", 4, keyed(onString, integer, integer)},
	{"SUBSTR", 2, keyed(onString, integer, integer)},
	{"SETRANGE", 5, keyed(onString, integer, value)},
	{"INCR", 7, keyed(onString)},
	{"DECR", 5, keyed(onString)},
	{"INCRBY", 7, keyed(onString, integer)},
	{"DECRBY", 6, keyed(onString, integer)},
	{"INCRBYFLOAT", 10, keyed(onString, float)},
}

func (g *generator) expireOptions() []string {
	return g.some(0.2, "NX", "XX", "GT", "LT", g.pick("nx", "foo", ""))
}

func expireWith(when func(*generator) string) func(*generator) []string {
	return func(g *generator) []string { return append([]string{g.anyKey(), when(g)}, g.expireOptions()...) }
}

var keyGrammar = []production{
	{"DEL", 3, func(g *generator) []string { return g.list(1, 3, g.anyKey) }},
	{"UNLINK", 2, func(g *generator) []string { return g.list(1, 3, g.anyKey) }},
	{"EXISTS", 4, func(g *generator) []string { return g.list(1, 4, g.anyKey) }},
	{"TOUCH", 2, func(g *generator) []string { return g.list(1, 4, g.anyKey) }},
	{"TYPE", 4, keyed(onAny)},
	{"RENAME", 3, keyed(onAny, onAny)},
	{"RENAMENX", 3, keyed(onAny, onAny)},
	{"COPY", 5, func(g *generator) []string {
		return append([]string{g.anyKey(), g.anyKey()}, g.some(0.35, "REPLACE", "DB "+g.database())...)
	}},
	{"MOVE", 3, func(g *generator) []string { return []string{g.anyKey(), g.database()} }},
	{"RANDOMKEY", 2, nothing},
	{"KEYS", 4, func(g *generator) []string { return []string{g.pattern()} }},
	{"SCAN", 5, func(g *generator) []string { return append([]string{g.cursor()}, g.scanOptions()...) }},
	{"EXPIRE", 5, expireWith(seconds)},
	{"PEXPIRE", 5, expireWith(milliseconds)},
	{"EXPIREAT", 4, expireWith(unixSeconds)},
	{"PEXPIREAT", 4, expireWith(unixMillisecond)},
	{"TTL", 4, keyed(onAny)},
	{"PTTL", 4, keyed(onAny)},
	{"EXPIRETIME", 3, keyed(onAny)},
	{"PEXPIRETIME", 3, keyed(onAny)},
	{"PERSIST", 3, keyed(onAny)},
	{"OBJECT ENCODING", 5, keyed(onAny)},
	{"OBJECT REFCOUNT", 2, keyed(onAny)},
	{"OBJECT", 1, func(g *generator) []string {
		return []string{g.pick("IDLETIME", "FREQ", "NOSUCH", "ENCODING"), g.anyKey()}
	}},
	{"LCS", 2, func(g *generator) []string {
		return append([]string{g.stringKey(), g.stringKey()}, g.some(0.3, "LEN", "IDX", "MINMATCHLEN "+g.integer(), "WITHMATCHLEN", "FOO")...)
	}},
	{"DBSIZE", 3, nothing},
}

func nothing(*generator) []string { return nil }

func (g *generator) database() string {
	if g.chance(0.8) {
		return g.pick("0", "1", "2")
	}
	return g.pick("15", "16", "-1", "abc", "", "1.0", "9223372036854775808", "4294967296", "01")
}

func (g *generator) pattern() string {
	return g.pick("*", "s*", "z?", "[sz]1", "[^s]*", "*1*", "", "?", "\\*", "[a-s]?", "[s-a]?", "c[1-2]", "**", "*[", "[", "\\",
		"{z}*", "s[12", "s[^1]", "[]", "*\xff*", "s\\1", "none", "[\\s]1", "*\r\n", "[^]", "[a-]*", "S*")
}

func (g *generator) cursor() string {
	if g.chance(0.9) {
		return "0"
	}
	return g.pick("00", "-1", "abc", "", " 0", "18446744073709551615", "18446744073709551616", "+0", "1.5", "0x0")
}

func (g *generator) scanOptions() []string {
	count := "COUNT " + g.pick("1", "2", "10", "1000", "0", "-1", "abc", "9223372036854775807", "9223372036854775808")
	return g.some(0.3, "MATCH "+g.pick("*", "s*", "z?", "[a-c]*", "nope"), count, "TYPE "+g.pick("string", "zset", "hash", "set", "STRING", "list", "nosuch"))
}
