package script_test

import (
	"strings"
	"testing"
)

// statements are what a greedy script may do with a text s, a table t and a number n.
var statements = []string{
	`s = s .. s`, `s = s .. n`, `s = string.rep(s, n)`, `s = s:upper()`, `s = s:reverse()`,
	`s = s:sub(n)`,
	`s = string.format("%s%q%99d", s, s, n)`, `s = s:gsub("x", s)`, `s = s:gsub(".", "%0%0%0")`,
	`s = s:match("((.*)())")`,
	`s = s:gsub("x", function() return s:sub(1, n) end)`, `t[#t + 1] = s`, `t[#t + 1] = n`,
	`t[n * 10] = s`, `t["k" .. n] = s`,
	`t[n + 0.5] = n`, `t = {t, t, s}`, `t = {a = t, b = s}`, `t = {unpack(t)}`,
	`t = {s:byte(1, 7000)}`, `table.insert(t, 1, s)`,
	`s = table.concat(t, s)`, `s = cjson.encode(t)`, `t = {cjson.decode(s)}`,
	`s = cmsgpack.pack(t, s, n)`,
	`t = {cmsgpack.unpack(s)}`, `s = struct.pack("si8s", s, n, s)`,
	`t = {struct.unpack("ssi8", s)}`, `s = redis.sha1hex(s)`,
	`redis.log(redis.LOG_WARNING, s, s)`, `t[#t + 1] = redis.call("bulk", s)`,
	`t[#t + 1] = redis.call("array", s)`,
	`t[#t + 1] = redis.pcall("error", s)`, `t = redis.error_reply(s)`, `t = redis.status_reply(s)`,
	`error(s)`, `error(t)`,
	`t[#t + 1] = function() return s, n, t end`,
	`local c = coroutine.wrap(function(...) coroutine.yield(...) end)
		c(unpack(t)) t[#t + 1] = c`,
	`t[#t + 1] = loadstring("return " .. n)`, `t[#t + 1] = loadstring(s)`,
	`s = tostring(t) .. tostring(n / 7)`, `collectgarbage(s)`,
	`setmetatable(t, {__index = t, __tostring = function() return s end})`, `n = n * 2`,
	`n = n + 1`, `n = #s`, `n = #t`,
	`t = {select(1, unpack({}, 1, n))}`, `t[#t + 1] = bit.tohex(n)`, `t[#t + 1] = s:gmatch(".")`,
}

// FuzzAllMemoryIsCounted runs statements again and again.
func FuzzAllMemoryIsCounted(f *testing.F) {
	for i := range statements {
		f.Add([]byte{byte(i), 0, byte(i + 11), 2, byte(i)})
	}
	f.Fuzz(func(t *testing.T, chosen []byte) {
		var body strings.Builder
		for _, c := range chosen[:min(len(chosen), 16)] {
			body.WriteString("pcall(function() " + statements[int(c)%len(statements)] + " end) ")
		}
		runGreedy(t, `local s, t, n, all = "x", {}, 2, {}
			for i = 1, 1000 do `+body.String()+`
				if type(t) ~= "table" then t = {} end
				all[i] = {s, t}
			end
			return t`)
	})
}
