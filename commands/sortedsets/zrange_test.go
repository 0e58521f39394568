package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestZRange(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 1 a 2 b 3 c 4 d")
	for args, members := range map[string][]string{
		"ZRANGE z 0 -1":                        {"a", "b", "c", "d"},
		"ZRANGE z 1 2":                         {"b", "c"},
		"ZRANGE z -2 100":                      {"c", "d"},
		"ZRANGE z -100 0":                      {"a"},
		"ZRANGE z 2 1":                         {},
		"ZRANGE z 4 5":                         {},
		"ZRANGE z -1 -9223372036854775808":     {},
		"ZRANGE z 9223372036854775807 0":       {},
		"ZRANGE z 0 1 REV":                     {"d", "c"},
		"ZREVRANGE z 0 0 WITHSCORES":           {"d", "4"},
		"ZREVRANGE z -2 -1":                    {"b", "a"},
		"ZRANGE z 0 0 WITHSCORES":              {"a", "1"},
		"ZRANGE z 0 0 LIMIT 5 -1":              {"a"},
		"ZRANGE z (1 3 BYSCORE":                {"b", "c"},
		"ZRANGE z 3 (1 BYSCORE REV":            {"c", "b"},
		"ZRANGE z (1 3 REV BYSCORE":            {},
		"ZREVRANGEBYSCORE z +inf 3 WITHSCORES": {"d", "4", "c", "3"},
		"ZRANGEBYSCORE z -inf inf LIMIT 1 2":   {"b", "c"},
		"ZRANGEBYSCORE z 1 4 LIMIT 1 -5":       {"b", "c", "d"},
		"ZRANGEBYSCORE z 1 4 LIMIT -1 2":       {},
		"ZRANGEBYSCORE z 1 4 LIMIT 4 2":        {},
		"ZRANGEBYSCORE z 1 4 LIMIT 0 0":        {},
		"ZRANGEBYSCORE z 1 4 LIMIT 9223372036854775807 9223372036854775807": {},
		"ZREVRANGEBYSCORE z 4 1 LIMIT 1 2":                                  {"c", "b"},
		"ZREVRANGEBYSCORE z 4 1 LIMIT 3 2 WITHSCORES LIMIT 2 1":             {"b", "2"},
		"ZRANGE absent 0 -1": {},
	} {
		h.Want(args, members)
	}
	h.Do("HELLO 3")
	h.Want("ZRANGE z 1 2 WITHSCORES", []any{[]any{"b", 2.0}, []any{"c", 3.0}})
	h.Want("ZREVRANGE z 0 0 WITHSCORES", []any{[]any{"d", 4.0}})
	h.Want("ZRANGE z 0 0", []string{"a"})
	h.Want("ZRANGE absent 0 0 WITHSCORES", []any{})
}

func TestZRangeByLex(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 0 a 0 b 0 c 0 d")
	for args, members := range map[string][]string{
		"ZRANGE z - + BYLEX":              {"a", "b", "c", "d"},
		"ZRANGE z (a [c BYLEX":            {"b", "c"},
		"ZRANGE z [c (a BYLEX REV":        {"c", "b"},
		"ZRANGEBYLEX z [aa (c":            {"b"},
		"ZRANGEBYLEX z - + LIMIT 1 1":     {"b"},
		"ZREVRANGEBYLEX z + - LIMIT 1 2":  {"c", "b"},
		"ZREVRANGEBYLEX z - +":            {},
		"ZREVRANGEBYLEX z (c - LIMIT 0 1": {"b"},
		"ZRANGEBYLEX absent - +":          {},
	} {
		h.Want(args, members)
	}
}

func TestZRangeErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	for line, err := range map[string]commands.Error{
		"ZRANGE s 0":                      "ERR wrong number of arguments for 'zrange' command",
		"ZRANGE s x 0 LIMIT 0 1":          "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
		"ZREVRANGE s 0 1 LIMIT 0 1":       "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
		"ZRANGE s x y BYLEX WITHSCORES":   "ERR syntax error, WITHSCORES not supported in combination with BYLEX",
		"ZRANGEBYLEX s - + WITHSCORES":    "ERR syntax error, WITHSCORES not supported in combination with BYLEX",
		"ZRANGE s 0 1 BYLEX BYSCORE":      commands.ErrSyntax,
		"ZRANGE s 0 1 REV REV":            commands.ErrSyntax,
		"ZREVRANGE s 0 1 REV":             commands.ErrSyntax,
		"ZREVRANGE s 0 1 BYSCORE":         commands.ErrSyntax,
		"ZRANGEBYSCORE s 0 1 BYSCORE":     commands.ErrSyntax,
		"ZRANGEBYSCORE s 0 1 LIMIT 0":     commands.ErrSyntax,
		"ZRANGEBYSCORE s 0 1 LIMIT x 1":   commands.ErrNotInteger,
		"ZRANGEBYSCORE s 0 1 LIMIT 0 1.0": commands.ErrNotInteger,
		"ZRANGEBYSCORE s x 1":             errMinMaxFloat,
		"ZRANGEBYLEX s a +":               errMinMaxLex,
		"ZRANGE s 1 x":                    commands.ErrNotInteger,
		"ZRANGE s 0 -1":                   commands.ErrWrongType,
		"ZRANGESTORE d s 0 -1 WITHSCORES": commands.ErrSyntax,
		"ZRANGESTORE d s 0 x":             commands.ErrNotInteger,
		"ZRANGESTORE d s 0 -1 LIMIT 0 1":  "ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
		"ZRANGESTORE d s 0 -1":            commands.ErrWrongType,
	} {
		h.Want(line, err)
	}
}
