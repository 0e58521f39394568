package commands

import "testing"

// The errors of ZUNION's kind come in Redis's order: the number of keys, the type of
// each key, then the options from left to right.
func TestCombineErrors(t *testing.T) {
	h := newHarness(t)
	h.do("INCR s")
	h.do("ZADD a 1 x")
	for line, err := range map[string]Error{
		"ZUNION x s":                   errNotInteger,
		"ZUNION 0 s":                   "ERR at least 1 input key is needed for 'zunion' command",
		"ZINTERSTORE d -1 s":           "ERR at least 1 input key is needed for 'zinterstore' command",
		"ZINTERCARD 0 s":               "ERR at least 1 input key is needed for 'zintercard' command",
		"ZDIFF 3 s s":                  errSyntax,
		"ZUNION 1 s FOO":               errWrongType,
		"ZDIFFSTORE d 2 a s":           errWrongType,
		"ZUNION 1 a WEIGHTS x":         "ERR weight value is not a float",
		"ZUNION 1 a WEIGHTS nan":       "ERR weight value is not a float",
		"ZUNION 2 a b WEIGHTS 1":       errSyntax,
		"ZUNION 1 a WEIGHTS 1 2":       errSyntax,
		"ZINTER 1 a AGGREGATE":         errSyntax,
		"ZINTER 1 a AGGREGATE AVG":     errSyntax,
		"ZINTER 1 a LIMIT 1":           errSyntax,
		"ZUNIONSTORE d 1 a WITHSCORES": errSyntax,
		"ZDIFF 1 a WEIGHTS 1":          errSyntax,
		"ZDIFF 1 a AGGREGATE SUM":      errSyntax,
		"ZDIFFSTORE d 1 a WITHSCORES":  errSyntax,
		"ZINTERCARD 1 a WITHSCORES":    errSyntax,
		"ZINTERCARD 1 a WEIGHTS 1":     errSyntax,
		"ZINTERCARD 1 a LIMIT":         errSyntax,
		"ZINTERCARD 1 a LIMIT -1":      "ERR LIMIT can't be negative",
		"ZINTERCARD 1 a LIMIT x":       "ERR LIMIT can't be negative",
	} {
		h.want(line, err)
	}
	h.want("GET d", nil)
}
