package script_test

import (
	"testing"

	"cellserver/script"

	"github.com/stretchr/testify/assert"
)

// TestAYieldHasTheValuesOfItsResume: a variable without a value is nil, a value without a variable is dropped, and
// "return coroutine.yield()" ends the coroutine. A redis-server 7.0 gives the same replies.
func TestAYieldHasTheValuesOfItsResume(t *testing.T) {
	for _, c := range []struct{ body, resumes, want string }{
		{"local a = coroutine.yield() return tostring(a)", "co() return co()", "nil"},
		{"local a = coroutine.yield() redis.call('set', 'k', 'v') return type(a)", "co() return co()", "nil"},
		{"local a, b, c = coroutine.yield(7, 8) return {a, tostring(b), tostring(c)}", "co() return co(1)", "*[1 nil nil]"},
		{"return (coroutine.yield())", "co() return {co(1, 2, 3)}", "*[1]"},
		{"return {coroutine.yield()}", "co() return co(1, 2, 3)", "*[1 2 3]"},
		{"return select('#', coroutine.yield())", "co() return co(nil, nil)", "2"},
		{"n = n + 1 return coroutine.yield(n)", "return {co(), co('x'), n}", "*[1 x 1]"},
		{"n = n + 1 return coroutine.yield(n)", "co() co() return {pcall(co)}", "*[nil cannot resume dead coroutine]"},
		{"n = n + 1 return (function() return coroutine.yield(n) end)()", "return {co(), co(5, 6)}", "*[1 5 6]"},
		{"local f = function() return coroutine.yield(n) end return {f(), 3}", "co() return co(1, 2)", "*[1 3]"},
	} {
		source := "local n = 0 local co = coroutine.wrap(function() " + c.body + " end) " + c.resumes
		assert.Equal(t, c.want, run(t, newEngine(), source, script.Run{}), source)
	}
}
