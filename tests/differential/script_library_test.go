package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A librarian writes calls of cjson, cmsgpack, struct and bit with random arguments, many of them wrong.
type librarian struct {
	*rand.Rand
	level int
}

func (l *librarian) pick(all ...string) string { return all[l.IntN(len(all))] }

// most returns the usual text, and now and then another one.
func (l *librarian) most(usual, other string) string {
	if l.IntN(30) == 0 {
		return other
	}
	return usual
}

// list joins up to n texts.
func (l *librarian) list(n int, separator string, text func() string) string {
	var all []string
	for range l.IntN(n + 1) {
		all = append(all, text())
	}
	return strings.Join(all, separator)
}

// nested writes a simple value, or one that has values in it. It stops at four levels.
func (l *librarian) nested(simple, composed func() string) string {
	l.level++
	defer func() { l.level-- }()
	if l.level > 4 || l.IntN(10) < 6 {
		return simple()
	}
	return composed()
}

// quoted writes bytes as a string of Lua.
func quoted(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, `\%03d`, text[i])
	}
	return `"` + b.String() + `"`
}

func (l *librarian) jsonText() string {
	return `"` + l.list(6, "", func() string {
		return l.pick("a", "b", "1", " ", "é", `\n`, `\u0041`, `\u00e9`, `\ud83d\ude00`, `\ud800`, `\/`, `\"`, `\\`, `\x`, "\t", `\u00`)
	}) + `"`
}

func (l *librarian) json() string {
	return l.nested(func() string {
		return l.pick("0", "-0", "1", "-1", "1.5", "1E+5", "1e400", "0x10", "01", "1.", ".5", "+1", "1e", "NaN", "Infinity", "12345678901234567890", "0.1",
			"1795000000.1235", "true", "false", "null", "True", "", l.jsonText(), l.jsonText(), l.jsonText())
	}, func() string {
		if l.IntN(2) == 0 {
			return "[" + l.list(4, ",", l.json) + l.most("]", ",]")
		}
		return "{" + l.list(3, ",", func() string { return l.most(l.jsonText(), "1") + ":" + l.json() }) + l.most("}", "")
	})
}

func (l *librarian) value() string {
	return l.nested(func() string {
		return l.pick("0", "1", "-1", "1.5", "1e15", "1e16", "0.1", "1/3", "2^31", "2^32", "-2^31", "2^53", "2^63", "2^64", "-2^63", "1e100", "127", "128", "255",
			"256", "65535", "65536", "-32", "-33", "-128", "-129", "1/0", "0/0", "1795000000.1235", "''", `'\0'`, "'é'", `'"'`, `'\\'`, `'\127'`, `'\31'`,
			"'10'", "('x'):rep(31)", "('x'):rep(32)", "('x'):rep(256)", "true", "false", "nil", "cjson.null")
	}, func() string {
		if l.IntN(2) == 0 {
			return "{" + l.list(4, ",", l.value) + "}"
		}
		return "{" + l.pick("x=", "[1]=", "[3]=", "[0]=", "[1.5]=", "[-1]=", "['1']=") + l.value() + "}"
	})
}

func (l *librarian) bytes(n int) string {
	return quoted(l.list(n, "", func() string {
		return l.pick("\x93", "\xa2", "\xcb", "\xd9", "\xc0", "\x81", "\x01", "\x00", string([]byte{byte(l.IntN(256))}))
	}))
}

func (l *librarian) format() string {
	return "'" + l.list(4, "", func() string {
		return l.pick(">", "<", "=", "!", "!4", "b", "B", "h", "H", "l", "L", "i", "I", "i1", "I3", "I8", "T", "f", "d", "s", "c0", "c3", "x", " ", "Bc0", "z", "i33", "!3")
	}) + "'"
}

func (l *librarian) call() string {
	switch l.IntN(8) {
	case 0, 1:
		return "shown(cjson.decode(" + quoted(l.json()) + "))"
	case 2:
		return "cjson.encode(" + l.value() + ")"
	case 3:
		return "hex(cmsgpack.pack(" + l.value() + ", " + l.value() + "))"
	case 4:
		return "shown({cmsgpack.unpack(" + l.bytes(10) + ")})"
	case 5:
		return "hex(struct.pack(" + l.format() + ", " + l.value() + ", " + l.value() + "))"
	case 6:
		return l.pick("struct.size("+l.format()+")", "shown({struct.unpack("+l.format()+", "+l.bytes(12)+l.pick("", ", 2", ", 0", ", -1", ", 100")+")})")
	}
	return "bit." + l.pick("tobit", "bnot", "band", "bor", "bxor", "lshift", "rshift", "arshift", "rol", "ror", "bswap", "tohex") + "(" + l.value() + ", " + l.value() + ")"
}

// prelude has functions that show a value without addresses, in a fixed order. They show -0 as 0.
const prelude = `local function hex(s) return (s:gsub('.', function(c) return string.format('%02x', c:byte()) end)) end
local function name(k) return type(k) == 'table' and 'table' or tostring(k) end
local function shown(v)
  if type(v) == 'number' then return string.format('%.17g', v + 0) end
  if type(v) ~= 'table' then return type(v) .. ' ' .. (type(v) == 'userdata' and '' or tostring(v)) end
  local all = {}
  for k, item in pairs(v) do all[#all + 1] = name(k) .. '=' .. shown(item) end
  table.sort(all)
  return '{' .. table.concat(all, ';') .. '}'
end
local r = {}
local function try(f) local ok, v = pcall(f) r[#r + 1] = tostring(ok) .. ' ' .. shown(v) end
`

const (
	libraryScripts = 500
	callsEach      = 20
)

// TestLibrariesAtRandom compares the libraries that Redis gives to scripts.
func TestLibrariesAtRandom(t *testing.T) {
	source, more := randomScripts(t, libraryScripts)
	redis, e := startRedis(t, false), newEngine()
	l := &librarian{Rand: rand.New(source)}
	scripts, same := 0, true
	for ; same && more(scripts); scripts++ {
		source := prelude
		for range callsEach {
			source += "try(function() return " + l.call() + " end)\n"
		}
		same = sameScript(t, redis, e, source+"return r", nil, nil)
	}
	t.Logf("%d scripts of %d calls", scripts, callsEach)
}
