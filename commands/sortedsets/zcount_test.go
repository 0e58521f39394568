package sortedsets

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"testing"
)

func TestZCount(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z -inf a 1 b 2 c 2 d 3 e inf f")
	for args, n := range map[string]int{
		"-inf +inf": 6, "(-inf (inf": 4, "1 2": 3, "(1 2": 2, "1 (2": 1, "(1 (2": 0, "2 1": 0, "(2 (2": 0, "2 2": 2,
		"'' '( 1'": 0, "' 1' 0x2": 3, "-1e400 1e400": 6,
	} {
		h.Want("ZCOUNT z "+args, n)
	}
	h.Want("ZCOUNT absent 1 2", 0)
	h.Do("INCR s")
	for _, args := range []string{"x 1", "1 x", "(x 1", "nan 1", "1 '2 '", "[1 2"} {
		h.Want("ZCOUNT s "+args, errMinMaxFloat)
	}
	h.Want("ZCOUNT s 1 2", commands.ErrWrongType)
}

func TestZLexCount(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD z 0 a 0 b 0 bb 0 c")
	for args, n := range map[string]int{
		"- +": 4, "+ -": 0, "- -": 0, "+ +": 0, "[a [b": 2, "(a [b": 1, "[a (b": 1, "(a (b": 0, "[b [a": 0,
		"(b (b": 0, "[b [b": 1, "[ [zz": 4, "( (": 0, "- (bb": 2, "[bb +": 2, `"+\x00x" +`: 0,
	} {
		h.Want("ZLEXCOUNT z "+args, n)
	}
	h.Want("ZLEXCOUNT absent - +", 0)
	h.Do("INCR s")
	for _, args := range []string{"a b", "- b", "-a +", "- +a", "'' +"} {
		h.Want("ZLEXCOUNT s "+args, errMinMaxLex)
	}
	h.Want("ZLEXCOUNT s - +", commands.ErrWrongType)
}
