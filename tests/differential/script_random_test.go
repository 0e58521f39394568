package differential

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// A programmer writes random programs in Lua. They end. What they return does not depend on the order of a table, on an
// address, or on the length of an array with holes.
type programmer struct {
	*rand.Rand
	locals []string
	level  int
	loops  int
}

// interesting has values at the edges of conversions.
var interesting = strings.Split(`0|1|-1|2|3|7|10|0.1|-0.5|1.5|2.5|1/3|100|255|256|1000|65536|2147483647|2147483648|-2147483648|4294967295|`+
	`99999999999999|100000000000000|123456789012345|999999999999999|1e15|1e16|9007199254740992|9007199254740993|1e17|1.7976931348623157e308|`+
	`5e-324|1e-5|0.0001|0.00012345678901234567|123456.789|1795000000.1235|1795000000123456|1e100|-1e100|9223372036854775807|`+
	`9223372036854775808|18446744073709551616|0x10|0xff|1/0|-1/0|""|"a"|"abc"|"10"|" 10 "|"0x10"|"1e2"|"010"|"-5"|"1.5"|"inf"|"x y"|"10x"|`+
	`"\0"|"a\nb"|nil|true|false|{}|{1,2,3}|{"a","b"}|{x=1}|KEYS[1]|ARGV[1]|ARGV[2]|ARGV[3]|#ARGV`, "|")

func (p *programmer) pick(all ...string) string { return all[p.IntN(len(all))] }

func (p *programmer) local() string {
	if len(p.locals) == 0 {
		return "ARGV"
	}
	return p.locals[p.IntN(len(p.locals))]
}

// notMinusZero ends a calculation, so that its result is never -0: the machine of Lua here has no -0 in its registers.
const notMinusZero = " + 0"

func (p *programmer) expression() string {
	p.level++
	defer func() { p.level-- }()
	if p.level > 4 {
		return p.pick(p.local(), p.local(), interesting[p.IntN(len(interesting))])
	}
	switch p.IntN(16) {
	case 0, 1, 2:
		return interesting[p.IntN(len(interesting))]
	case 3, 4:
		return p.local()
	case 5, 6, 7:
		return "(" + p.expression() + p.pick(" + ", " - ", " * ", " / ", " % ", " ^ ") + p.expression() + notMinusZero + ")"
	case 8:
		return "(" + p.expression() + " .. " + p.expression() + ")"
	case 9:
		return "(" + p.expression() + p.pick(" == ", " ~= ", " < ", " <= ", " > ", " >= ") + p.expression() + ")"
	case 10:
		return "(" + p.expression() + p.pick(" and ", " or ") + p.expression() + ")"
	case 11:
		if p.IntN(3) == 0 {
			return "(-(" + p.expression() + ")" + notMinusZero + ")"
		}
		return p.pick("not ", "#") + "(" + p.expression() + ")"
	case 12:
		return p.local() + p.pick("[1]", "[2]", ".x", "["+p.expression()+"]", ".x.y")
	case 13:
		return p.pick("{", "{x=") + "(" + p.expression() + " or 0), (" + p.expression() + " or 1)}"
	}
	return p.call()
}

// call writes a call of a function of the libraries.
func (p *programmer) call() string {
	one, two := p.expression(), p.expression()
	return p.pick(
		"tonumber("+one+")", "tonumber("+one+", "+two+")", "type("+one+")", "shown("+one+")", "shown("+one+")",
		"math.floor("+one+")", "math.ceil("+one+")", "math.max("+one+", "+two+")", "math.min("+one+", "+two+")", "math.abs("+one+")",
		"string.sub("+one+", "+two+")", "string.rep("+one+", 3)", "string.len("+one+")", "string.upper("+one+")", "string.reverse("+one+")",
		"string.format("+p.pick(`"%d"`, `"%5.2f"`, `"%g"`, `"%x"`, `"%s"`, `"%q"`, `"%5s|"`, `"%.3s"`, `"%e"`, `"%c"`, `"%i"`, `"%.14g"`, `"%.17g"`)+", "+one+")",
		"string.find("+one+", "+p.pick(`"a"`, `"%d+"`, `"(.)"`, `"^%s*"`, two)+")",
		"string.gsub("+one+", "+p.pick(`"."`, `"%d"`, `"a*"`, `"(%w)(%w)"`)+", "+p.pick(`"x"`, `"%0%0"`, `"<%1>"`, two)+")",
		"string.byte("+one+")", "string.char("+one+")", "select("+one+", "+two+", 1)", "unpack("+one+")", "rawequal("+one+", "+two+")",
		"table.concat("+one+", ',')", "table.getn("+one+")", "table.remove("+p.local()+")", "next({"+one+"})",
		"pcall(shown, "+one+")", "pcall(function() return "+one+" end)", "select(2, pcall(function() return "+one+" end))",
		"cjson.encode("+one+")", "cjson.decode("+one+")", "cmsgpack.unpack(cmsgpack.pack("+one+"))", "bit.band("+one+", 255)", "bit.tohex("+one+")",
		"redis.sha1hex("+one+")", "redis.error_reply("+one+")", "redis.status_reply("+one+")", "math.fmod("+one+", "+two+")",
		p.local()+"("+one+")", p.local()+":x("+one+")", "(function(...) return ... end)("+one+", "+two+")",
		"struct.pack('>i', "+one+")", "coroutine.wrap(function(a) local b = coroutine.yield(a) return b end)("+one+")",
	)
}

// shown is tostring without addresses.
const shown = `local function shown(v) local t = type(v) if t == 'table' or t == 'function' or t == 'thread' then return t end return tostring(v) end` + "\n"

func (p *programmer) block(b *strings.Builder, statements int) {
	outside := len(p.locals)
	for range statements {
		p.statement(b)
	}
	p.locals = p.locals[:outside]
}

func (p *programmer) statement(b *strings.Builder) {
	p.level++
	defer func() { p.level-- }()
	switch n := p.IntN(14); {
	case n < 4 || p.level > 3:
		name := fmt.Sprintf("v%d", len(p.locals))
		fmt.Fprintf(b, "local %s = %s\n", name, p.expression())
		p.locals = append(p.locals, name)
	case n < 6:
		fmt.Fprintf(b, "%s = %s or 0\n", p.assignable(), p.expression())
	case n == 6:
		fmt.Fprintf(b, "%s, %s = %s or 1, %s or 2\n", p.assignable(), p.assignable(), p.expression(), p.expression())
	case n == 7:
		fmt.Fprintf(b, "if %s then\n", p.expression())
		p.block(b, 1+p.IntN(2))
		if p.IntN(2) == 0 {
			b.WriteString("else\n")
			p.block(b, 1)
		}
		b.WriteString("end\n")
	case n == 8:
		p.loop(b)
	case n == 9:
		name := fmt.Sprintf("f%d", len(p.locals))
		fmt.Fprintf(b, "local function %s(a, ...)\n", name)
		p.locals = append(p.locals, name, "a")
		p.block(b, 1+p.IntN(2))
		fmt.Fprintf(b, "return %s\nend\n", p.expression())
		p.locals = p.locals[:len(p.locals)-1]
	case n == 10:
		// No table gets a table: Redis never ends a reply with a table that contains itself.
		fmt.Fprintf(b, "table.insert(%s, "+p.pick("shown(%s)", "tonumber(%s)")+")\n", p.local(), p.expression())
	case n == 11:
		fmt.Fprintf(b, "if %s then error(%s) end\n", p.expression(), fmt.Sprintf(p.pick("shown(%s)", "shown(%s), 0", "{err=shown(%s)}"), p.expression()))
	case n == 12:
		fmt.Fprintf(b, "local r = %s\n", p.call())
	default:
		fmt.Fprintf(b, "do\n")
		p.block(b, 1+p.IntN(3))
		b.WriteString("end\n")
	}
}

func (p *programmer) assignable() string {
	return p.local() + p.pick("", ".x", "[1]", "[shown("+p.expression()+")]")
}

// loop writes a loop that ends.
func (p *programmer) loop(b *strings.Builder) {
	p.loops++
	i := fmt.Sprintf("i%d", p.loops)
	p.locals = append(p.locals, i)
	last := "end\n"
	switch p.IntN(4) {
	case 0:
		fmt.Fprintf(b, "for %s = 1, 3 do\n", i)
	case 1:
		fmt.Fprintf(b, "local n%s = 0 while n%s < 3 do n%s = n%s + 1 local %s = n%s\n", i, i, i, i, i, i)
	case 2:
		fmt.Fprintf(b, "local n%s = 0 repeat n%s = n%s + 1 local %s = n%s\n", i, i, i, i, i)
		last = fmt.Sprintf("until n%s >= 3 or %s\n", i, p.expression())
	default:
		fmt.Fprintf(b, "for k, %s in ipairs({%s, %s}) do\n", i, p.expression(), p.expression())
	}
	p.block(b, 1+p.IntN(2))
	if p.IntN(4) == 0 {
		fmt.Fprintf(b, "if %s then break end\n", p.expression())
	}
	b.WriteString(last)
	p.locals = p.locals[:len(p.locals)-1]
}

func (p *programmer) program() string {
	p.locals, p.level, p.loops = nil, 0, 0
	var b strings.Builder
	b.WriteString(shown)
	for range 2 + p.IntN(5) {
		p.statement(&b)
	}
	fmt.Fprintf(&b, "return {%s, shown(%s), %s}", p.expression(), p.expression(), p.expression())
	return b.String()
}

// broken damages a program, so that it does not compile, or does something else. It spares shown, which would print
// addresses, and programs with loops, which would not end.
func (p *programmer) broken(source string) string {
	if p.loops > 0 {
		return source
	}
	words, spared := strings.Fields(source), len(strings.Fields(shown))
	i := spared + p.IntN(len(words)-spared)
	switch p.IntN(3) {
	case 0:
		words = append(words[:i], words[i+1:]...)
	case 1:
		words[i] = words[p.IntN(len(words))]
	default:
		words[i] += p.pick("(", ")", "end", "=", "..", "\n", "\"", "[[", "3x", ",", "@", "local")
	}
	return strings.Join(words, p.pick(" ", "\n"))
}

// randomScripts returns the source of random scripts, and a function that reports whether to run one more. They are the same
// scripts each time, in the usual number. With the variable SCRIPTS they are new ones, for that time.
func randomScripts(t *testing.T, usual int) (source rand.Source, more func(done int) bool) {
	text := os.Getenv("SCRIPTS")
	if text == "" {
		return rand.NewPCG(1, 1), func(done int) bool { return done < usual }
	}
	d, err := time.ParseDuration(text)
	require.NoError(t, err, "SCRIPTS")
	end := time.Now().Add(d)
	return randtest.Source(t), func(int) bool { return time.Now().Before(end) }
}

const scriptPrograms = 10_000

// silences is how many random programs Redis may leave without an answer. It crashes, or takes hours to pack a table that
// contains itself.
const silences = 5

// TestScriptsAtRandom runs the same programs each time, because a few in a million differ in ways that are accepted. Redis
// crashes, -0 is 0, cmsgpack makes a table with holes, or an error names the line before or after. SCRIPTS=3m runs new programs for
// three minutes, to find other differences.
func TestScriptsAtRandom(t *testing.T) {
	source, more := randomScripts(t, scriptPrograms)
	redis, e := startRedis(t, false), newEngine()
	p := &programmer{Rand: rand.New(source)}
	keys, args := []string{"k"}, []string{"10", "x", "0x1f"}
	programs, different, silent := 0, 0, 0
	for ; more(programs) && different < max(10, int(envInt(t, "FINDINGS", 0))); programs++ {
		source := p.program()
		if p.IntN(5) == 0 {
			source = p.broken(source)
		}
		want, err := redis.eval(source, keys, args)
		if err != nil {
			silent++
			require.LessOrEqual(t, silent, silences, "redis does not answer to:\n%s", source)
			t.Logf("redis does not answer to:\n%s", source)
			redis.kill()
			redis = startRedis(t, false)
			continue
		}
		if !sameReply(t, want, e, source, keys, args) {
			different++
		}
	}
	t.Logf("%d programs: %d replies differ, and %d times redis did not answer", programs, different, silent)
}
