package commands

import "testing"

func TestZCount(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD z -inf a 1 b 2 c 2 d 3 e inf f")
	for args, n := range map[string]int{
		"-inf +inf": 6, "(-inf (inf": 4, "1 2": 3, "(1 2": 2, "1 (2": 1, "(1 (2": 0, "2 1": 0, "(2 (2": 0, "2 2": 2,
		"'' '( 1'": 0, "' 1' 0x2": 3, "-1e400 1e400": 6,
	} {
		h.want("ZCOUNT z "+args, n)
	}
	h.want("ZCOUNT absent 1 2", 0)
	h.do("INCR s")
	for _, args := range []string{"x 1", "1 x", "(x 1", "nan 1", "1 '2 '", "[1 2"} {
		h.want("ZCOUNT s "+args, errMinMaxFloat)
	}
	h.want("ZCOUNT s 1 2", errWrongType)
}

func TestZLexCount(t *testing.T) {
	h := newHarness(t)
	h.do("ZADD z 0 a 0 b 0 bb 0 c")
	for args, n := range map[string]int{
		"- +": 4, "+ -": 0, "- -": 0, "+ +": 0, "[a [b": 2, "(a [b": 1, "[a (b": 1, "(a (b": 0, "[b [a": 0,
		"(b (b": 0, "[b [b": 1, "[ [zz": 4, "( (": 0, "- (bb": 2, "[bb +": 2, `"+\x00x" +`: 0,
	} {
		h.want("ZLEXCOUNT z "+args, n)
	}
	h.want("ZLEXCOUNT absent - +", 0)
	h.do("INCR s")
	for _, args := range []string{"a b", "- b", "-a +", "- +a", "'' +"} {
		h.want("ZLEXCOUNT s "+args, errMinMaxLex)
	}
	h.want("ZLEXCOUNT s - +", errWrongType)
}
