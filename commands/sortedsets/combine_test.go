package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

// TestCombineErrors: errors come in the order of Redis. First the number of keys, then the type of
// each key, then the options from left to right.
func TestCombineErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR s")
	h.Do("ZADD a 1 x")
	for line, err := range map[string]commands.Error{
		"ZUNION x s":                   commands.ErrNotInteger,
		"ZUNION 0 s":                   "ERR at least 1 input key is needed for 'zunion' command",
		"ZINTERSTORE d -1 s":           "ERR at least 1 input key is needed for 'zinterstore' command",
		"ZINTERCARD 0 s":               "ERR at least 1 input key is needed for 'zintercard' command",
		"ZDIFF 3 s s":                  commands.ErrSyntax,
		"ZUNION 1 s FOO":               commands.ErrWrongType,
		"ZDIFFSTORE d 2 a s":           commands.ErrWrongType,
		"ZUNION 1 a WEIGHTS x":         "ERR weight value is not a float",
		"ZUNION 1 a WEIGHTS nan":       "ERR weight value is not a float",
		"ZUNION 2 a b WEIGHTS 1":       commands.ErrSyntax,
		"ZUNION 1 a WEIGHTS 1 2":       commands.ErrSyntax,
		"ZINTER 1 a AGGREGATE":         commands.ErrSyntax,
		"ZINTER 1 a AGGREGATE AVG":     commands.ErrSyntax,
		"ZINTER 1 a LIMIT 1":           commands.ErrSyntax,
		"ZUNIONSTORE d 1 a WITHSCORES": commands.ErrSyntax,
		"ZDIFF 1 a WEIGHTS 1":          commands.ErrSyntax,
		"ZDIFF 1 a AGGREGATE SUM":      commands.ErrSyntax,
		"ZDIFFSTORE d 1 a WITHSCORES":  commands.ErrSyntax,
		"ZINTERCARD 1 a WITHSCORES":    commands.ErrSyntax,
		"ZINTERCARD 1 a WEIGHTS 1":     commands.ErrSyntax,
		"ZINTERCARD 1 a LIMIT":         commands.ErrSyntax,
		"ZINTERCARD 1 a LIMIT -1":      "ERR LIMIT can't be negative",
		"ZINTERCARD 1 a LIMIT x":       "ERR LIMIT can't be negative",
	} {
		h.Want(line, err)
	}
	h.Want("GET d", nil)
}
