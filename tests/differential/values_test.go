package differential

import (
	"strconv"
	"strings"
	"time"
)

var (
	stringKeys = []string{"s1", "s2", "s3", "c1", "c2", "c3", "", "b\x00\xff\r\n"}
	zsetKeys   = []string{"z1", "z2", "z3", "z4", "{z}a", "z\x00"}
	hashKeys   = []string{"h1", "h2", "h3", "h\xff"}
	setKeys    = []string{"e1", "e2", "e3"}
	intsKeys   = []string{"n1", "n2"}
	listKeys   = []string{"q1", "q2", "q3"}
	absentKeys = []string{"none", "nil"}
)

func (g *generator) anyKey() string {
	switch n := g.IntN(29); {
	case n < 9:
		return g.pick(stringKeys...)
	case n < 19:
		return g.pick(zsetKeys...)
	case n < 22:
		return g.pick(hashKeys...)
	case n < 25:
		return g.pick(append(setKeys, intsKeys...)...)
	case n < 28:
		return g.pick(listKeys...)
	}
	return g.pick(absentKeys...)
}

func (g *generator) stringKey() string { return g.keyOf(stringKeys) }
func (g *generator) zsetKey() string   { return g.keyOf(zsetKeys) }
func (g *generator) hashKey() string   { return g.keyOf(hashKeys) }
func (g *generator) intsKey() string   { return g.keyOf(intsKeys) }
func (g *generator) listKey() string   { return g.keyOf(listKeys) }

func (g *generator) setKey() string {
	if g.chance(0.3) {
		return g.intsKey()
	}
	return g.keyOf(setKeys)
}

func (g *generator) keyOf(pool []string) string {
	if g.chance(0.06) {
		return g.anyKey()
	}
	return g.pick(pool...)
}

// value returns any string, most often a number.
func (g *generator) value() string {
	switch g.IntN(10) {
	case 0, 1, 2:
		return g.integer()
	case 3, 4:
		return g.float()
	case 5:
		return strings.Repeat("x", 40+g.IntN(10))
	case 6:
		return g.pick("", "\x00", "\xff\xfe", "a b", "'\"", "héllo", "\r\n", strings.Repeat("long", 300))
	}
	return g.pick("a", "abc", "hello world", "foo", "12abc", "0012")
}

func (g *generator) integer() string {
	if g.chance(0.8) {
		return strconv.Itoa(g.IntN(16) - 4)
	}
	return g.edgeInt()
}

func (g *generator) edgeInt() string {
	return g.pick("0", "-0", "+0", "1", "-1", "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295",
		"4294967296", "9223372036854775806", "9223372036854775807", "9223372036854775808", "-9223372036854775807",
		"-9223372036854775808", "-9223372036854775809", "18446744073709551615", "18446744073709551616",
		"4611686018427387904", "9223372036854775", "9223372036854776", "007", "+1", " 1", "1 ", "1.0", "", "abc", "1e3",
		"0x10", "-", "+", "--1", "1\x00", "10000", "9999", "99999999999999999999999", "1_000", "٣")
}

func (g *generator) float() string {
	if g.chance(0.6) {
		return g.pick("0", "1", "-1", "2", "3", "1.5", "-2.25", "0.1", "0.2", "3.14", "10", "100", "inf", "-inf")
	}
	return g.edgeFloat()
}

func (g *generator) edgeFloat() string {
	return g.pick("inf", "-inf", "+inf", "Infinity", "-INFINITY", "nan", "-nan", "1e308", "-1e308", "1.7976931348623157e308",
		"1e309", "5e-324", "1e-400", "2.2250738585072014e-308", "0.1", "3.0e3", "3e+3", "1.5abc", "1e", ".5", "5.", "-.5", "-0",
		"-0.0", "+1.5", " 1.5", "1.5 ", "0x10", "0x1p3", "1e17", "1e20", "1e21", "123456789012345678", "9007199254740993",
		"0.30000000000000004", "1.0000000000000002", "3.141592653589793238462643383279502884", "1.100000000000000000001",
		"12345678.12345678", "0.000001", "0.0000001", "1e-5", "1e4932", "1e5000", "9223372036854775807", "",
		"1e-17", "123456789.123456789123456789", "1\x00", "1,5", "infinite", "1e+", "1E5", "99999999999999999999.5")
}

func (g *generator) member() string {
	switch {
	case g.chance(0.85):
		return g.pick("a", "b", "c", "d", "e", "f", "aa", "ab", "B")
	case g.chance(0.05):
		return strings.Repeat("m", 65) // too long for the compact encoding
	}
	return g.pick("", "\x00", "m\xff\x00", "1", "01", "1.5", "foo bar", "zz", "-", "+", "[", "(a")
}

// scoreBound returns an end of a range by score.
func (g *generator) scoreBound() string {
	switch g.IntN(6) {
	case 0:
		return g.pick("-inf", "+inf", "inf", "(-inf", "(+inf", "(inf")
	case 1:
		return "(" + g.float()
	}
	return g.float()
}

// lexBound returns an end of a range by name.
func (g *generator) lexBound() string {
	if g.chance(0.3) {
		return g.pick("-", "+", "-", "+", "[", "(", "", "a", "-a", "+x")
	}
	return g.pick("[", "(") + g.member()
}

func (g *generator) rank() string { return g.integer() }

// limit returns the two words after LIMIT.
func (g *generator) limit() []string {
	n := func() string {
		if g.chance(0.9) {
			return strconv.Itoa(g.IntN(6) - 1)
		}
		return g.edgeInt()
	}
	return []string{n(), n()}
}

// span and moment return a span or a time in a unit, given by its number per second. It is far in the
// future, in the past, or out of range.
func (g *generator) span(perSecond int64) string {
	switch g.IntN(12) {
	case 0:
		return g.pick("0", "-1", "-100")
	case 1, 2:
		return g.edgeInt()
	case 3:
		return strconv.FormatInt(9223372036854775807/1000*perSecond/1000-g.Int64N(3)+1, 10)
	}
	if g.s.moved {
		return strconv.FormatInt((1+g.Int64N(20))*perSecond+g.Int64N(perSecond), 10)
	}
	return strconv.FormatInt((100+g.Int64N(1000))*perSecond, 10)
}

func (g *generator) moment(perSecond int64) string {
	if g.chance(0.15) {
		return g.edgeInt()
	}
	span := g.Int64N(20) - 2
	if !g.s.moved && span >= 0 {
		span += 100
	}
	if g.chance(0.1) {
		span = 10_000_000_000
	}
	now := g.s.now / int64(time.Second)
	return strconv.FormatInt((now+span)*perSecond+g.Int64N(perSecond), 10)
}
