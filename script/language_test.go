package script_test

import (
	"strings"
	"testing"

	"cellserver/script"

	"github.com/stretchr/testify/assert"
)

// used leaves values in the registers of the interpreter. A script that follows must not see them.
const used = "do local a, b, c, d, e, f = 'p', 'q', 'r', 's', 't', 'u' end "

// TestALoopLacksNoValue: a loop whose list has no control begins with nil. A redis-server 7.0 gives the same replies.
func TestALoopLacksNoValue(t *testing.T) {
	for source, want := range map[string]string{
		"local n = 0 for k, v in next, {5, 6} do n = n + v end return n":                                              "11",
		"local o = {} for k in next, {5, 6} do o[#o + 1] = k end return o":                                            "*[1 2]",
		"local o = {} for k, v, w in next, {5} do o[#o + 1] = v end return o":                                         "*[5]",
		"local n = 0 for i = 1, 3 do for k, v in next, {i} do n = n + v end end return n":                             "6",
		"local function g() return {5} end local n = 0 for k in next, g() do n = n + 1 end return n":                  "1",
		"local function g() return 1, 2 end local o = {} for k in next, {5, 6, 7}, g() do o[#o + 1] = k end return o": "*[2 3]",
		"local function g() end local n = 0 for k in next, {5}, g() do n = n + 1 end return n":                        "1",
	} {
		assert.Equal(t, want, run(t, newEngine(), used+source, script.Run{}), source)
	}
}

// TestFieldsAreMadeInTheirOrder: the fields of a table call their functions in the order of the source.
func TestFieldsAreMadeInTheirOrder(t *testing.T) {
	begin := "local o = {} local function s(x) o[#o + 1] = x return x end "
	for _, fields := range []string{
		"s(1), k = s(2), s(3), [9] = s(4), s(5)", "k = s(1), s(2)", "[s(1)] = s(2), s(3), [s(4)] = s(5)", "{s(1)}, k = {s(2), l = s(3)}, s(4)",
		strings.Repeat("0,", 48) + "s(1), k = s(2)",
	} {
		n := strings.Count(fields, "s(")
		want := "*[" + strings.Join(strings.Fields("1 2 3 4 5")[:n], " ") + "]"
		assert.Equal(t, want, run(t, newEngine(), begin+"local t = {"+fields+"} return o", script.Run{}), fields)
	}
	many := strings.Repeat("0,", 100) // the compiler stores 50 at once
	assert.Equal(t, "*[101 7 1 8]", run(t, newEngine(), "local t = {"+many+"k = 7, 1, l = 8} return {#t, t.k, t[101], t.l}", script.Run{}))
}
