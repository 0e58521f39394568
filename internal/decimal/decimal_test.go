package decimal

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// edges are integers next to a change: a power of ten, or an end of int64.
func edges() (all []int64) {
	for power := int64(1); ; power *= 10 {
		for _, n := range []int64{power - 1, power, power + 1} {
			all = append(all, n, -n)
		}
		if power > math.MaxInt64/10 {
			return append(all, math.MaxInt64, math.MinInt64, math.MinInt64+1)
		}
	}
}

func check(t *testing.T, n int64) {
	want := strconv.FormatInt(n, 10)
	if got := string(Append([]byte("x"), n)); got != "x"+want {
		t.Fatalf("Append(%d) is %q", n, got)
	}
	if got, ok := Parse([]byte(want)); got != n || !ok {
		t.Fatalf("Parse(%q) is %d, %v", want, got, ok)
	}
}

func TestBothWays(t *testing.T) {
	for _, n := range edges() {
		check(t, n)
	}
	for n := range int64(200_000) {
		check(t, n)
	}
	for range 1_000_000 {
		check(t, int64(rand.Uint64()>>rand.IntN(64)))
	}
}

// Every number of eight digits is right. So no part of a word spills into the next one.
func TestEveryHalf(t *testing.T) {
	for n := range uint64(10_000) {
		for _, all := range []uint64{n, n * 10_000, n*10_000 + 9_999, 99_990_000 + n} {
			digits := eight(all)
			for place := 7; place >= 0; place-- {
				require.Equal(t, byte(all%10), byte(digits>>(8*place)), "place %d of %d", place, n)
				all /= 10
			}
		}
	}
}

func TestPut8(t *testing.T) {
	for _, n := range []uint64{0, 7, 10_000, 12_345_678, 99_999_999} {
		b := []byte("abcdefghij")
		Put8(b[1:], n)
		require.Equal(t, fmt.Sprintf("a%08dj", n), string(b))
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	room := append(make([]byte, 0, 16), "abc"...)
	require.Equal(t, "abc12", string(Append(room, 12)))
	require.Equal(t, "abc1234567", string(Append(append(make([]byte, 0, 3), "abc"...), 1234567)))
}

func TestParseRefusesWhatIsNotCanonical(t *testing.T) {
	for _, s := range []string{
		"", "-", "+1", "-0", "00", "007", "-01", "1 ", " 1", "1x", "x", "1.", "0x1", "1e3", "--1", "\x00", "1\x00", "\xb1",
		"9223372036854775808", "-9223372036854775809", "9999999999999999999", "10000000000000000000", "18446744073709551616",
	} {
		n, ok := Parse([]byte(s))
		require.False(t, ok, "%q", s)
		require.Zero(t, n, "%q", s)
	}
}

func FuzzParse(f *testing.F) {
	for _, n := range edges() {
		f.Add(strconv.AppendInt(nil, n, 10))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		n, err := strconv.ParseInt(string(in), 10, 64)
		canonical := err == nil && strconv.FormatInt(n, 10) == string(in)
		got, ok := Parse(in)
		if ok != canonical || ok && got != n {
			t.Fatalf("Parse(%q) is %d, %v", in, got, ok)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	buf := make([]byte, 0, 32)
	for _, n := range []int64{7, 60, 1_000_001, math.MaxInt64} {
		b.Run(strconv.FormatInt(n, 10), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				buf = Append(buf[:0], n)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	for _, s := range []string{"7", "60", "1000001", "9223372036854775807"} {
		b.Run(s, func(b *testing.B) {
			b.ReportAllocs()
			in := []byte(s)
			for b.Loop() {
				Parse(in)
			}
		})
	}
}

// BenchmarkStrconv does the same with the standard library, for 19 digits.
func BenchmarkStrconv(b *testing.B) {
	buf := make([]byte, 0, 32)
	in := []byte("9223372036854775807")
	b.Run("Append", func(b *testing.B) {
		for b.Loop() {
			buf = strconv.AppendInt(buf[:0], math.MaxInt64, 10)
		}
	})
	b.Run("Parse", func(b *testing.B) {
		for b.Loop() {
			strconv.ParseInt(string(in), 10, 64)
		}
	})
}

// A byte that is no digit is found at every one of the eight places, whatever stands beside it.
func TestParseLooksAtEveryPlace(t *testing.T) {
	for _, text := range []string{"12345678", "1999999999999999", "1000000000000000000", "1234567890123456789"} {
		for place := range text {
			for c := range 256 {
				b := []byte(text)
				b[place] = byte(c)
				want, err := strconv.ParseInt(string(b), 10, 64)
				canonical := err == nil && strconv.FormatInt(want, 10) == string(b)
				got, ok := Parse(b)
				require.Equal(t, canonical, ok, "%q", b)
				if canonical {
					require.Equal(t, want, got, "%q", b)
				}
			}
		}
	}
}
