package commands

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestParseFloatAndBound compares with redis-server 7.0.15: a text as a score (ZADD) and as the end
// of a range (ZCOUNT). bad is an error.
func TestParseFloatAndBound(t *testing.T) {
	inf, bad := math.Inf(1), math.NaN()
	for _, c := range []struct {
		text         string
		score, bound float64
	}{
		{"1", 1, 1}, {"-1.5", -1.5, -1.5}, {"+1", 1, 1}, {"007", 7, 7}, {"5.", 5, 5}, {".5", .5, .5},
		{"1e+5", 1e5, 1e5}, {"1.e3", 1000, 1000}, {"0e-999", 0, 0}, {"1e-320", 1e-320, 1e-320},
		{"inf", inf, inf}, {"+inf", inf, inf}, {"-Infinity", -inf, -inf}, {"INFINITY", inf, inf},
		{"0x10", 16, 16}, {"0X1p3", 8, 8}, {"+0x1", 1, 1}, {"0x.8", .5, .5}, {"0x1.8p-1", .75, .75}, {"-0xA", -10, -10},
		{"1e400", bad, inf}, {"-1e400", bad, -inf}, {"1e-400", bad, 0}, {"0x1p-2000", bad, 0}, {"0xap-2000", bad, 0}, {"0x0p-2000", 0, 0},
		{"", bad, 0}, {" 1", bad, 1}, {"\t 1", bad, 1}, {"1\x00x", bad, 1}, {"\x00", bad, 0},
		{"nan", bad, bad}, {"nan(1)", bad, bad}, {" ", bad, bad}, {"1 ", bad, bad}, {".", bad, bad}, {"1e", bad, bad},
		{"0x", bad, bad}, {"0x.", bad, bad}, {"0x1p", bad, bad}, {"0xinf", bad, bad}, {"infi", bad, bad},
		{"1_0", bad, bad}, {"0x1_0", bad, bad}, {"1d3", bad, bad}, {"0b1", bad, bad}, {"0o1", bad, bad}, {"--1", bad, bad},
	} {
		score, ok := ParseFloat([]byte(c.text))
		require.Equal(t, !math.IsNaN(c.score), ok, "score %q", c.text)
		if ok {
			require.Equal(t, c.score, score, "score %q", c.text)
		}
		bound, ok := ParseBound([]byte(c.text))
		require.Equal(t, !math.IsNaN(c.bound), ok, "bound %q", c.text)
		if ok {
			require.Equal(t, c.bound, bound, "bound %q", c.text)
		}
	}
}
