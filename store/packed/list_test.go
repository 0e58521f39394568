package packed

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// randomText returns texts of all forms: integers of every size, texts that look like them, and long ones.
func randomText(r *rand.Rand) []byte {
	switch r.IntN(6) {
	case 0:
		return strconv.AppendInt(nil, int64(r.Uint64())>>r.IntN(64), 10)
	case 1:
		return []byte([]string{"", "-", "0", "-0", "00", "+1", " 1", "1 ", "007", "9223372036854775808", "-9223372036854775808", "9223372036854775807"}[r.IntN(12)])
	case 2:
		return bytes.Repeat([]byte("x"), []int{223, 224, 225, 256, 1000, 70000}[r.IntN(6)])
	}
	return fmt.Append(nil, "m", r.IntN(30))
}

// texts returns all byte strings of a list.
func (l *List) texts() (all []string) {
	var scratch [20]byte
	for at := l.First(); at < l.End(); at = l.Next(at) {
		all = append(all, string(l.Text(at, scratch[:0])))
	}
	return all
}

// TestListModel changes a list and a slice in the same way. SEED repeats a run.
func TestListModel(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 30 {
		l, model := New(), []string(nil)
		for range 300 {
			i := r.IntN(len(model) + 1)
			j := min(i+r.IntN(3), len(model))
			if len(model) > 40 {
				i, j = 0, len(model)/2
			}
			var elements []byte
			var texts []string
			for range r.IntN(3) {
				b := randomText(r)
				elements, texts = AppendElement(elements, b), append(texts, string(b))
			}
			copied, was := l.Clone(), slices.Clone(model)
			l = l.Replace(l.At(i), l.At(j), elements, j-i, len(texts))
			model = slices.Replace(model, i, j, texts...)
			require.Equal(t, model, append(model[:0:0], l.texts()...))
			require.Equal(t, was, append(was[:0:0], copied.texts()...), "a clone is independent")
			require.Equal(t, len(model), l.Len())
			require.Equal(t, l.End(), l.At(l.Len()))
			require.GreaterOrEqual(t, l.Bytes(), int64(l.End()))
			require.LessOrEqual(t, l.Bytes(), int64(Room(l.End())+mostSpare(l.End())))
			require.Equal(t, l.Bytes(), l.Clone().Bytes())
			checkFind(t, l, model, randomText(r))
		}
	}
}

func checkFind(t *testing.T, l *List, model []string, b []byte) {
	t.Helper()
	for stride := 1; stride <= 2; stride++ {
		if len(model)%stride != 0 {
			continue
		}
		want := -1
		for i := 0; i < len(model); i += stride {
			if model[i] == string(b) {
				want = l.At(i)
				require.True(t, l.Is(want, AppendElement(nil, b)))
				break
			}
		}
		require.Equal(t, want, l.Find(AppendElement(nil, b), stride))
	}
}

// Integers take few bytes, and come back as they were.
func TestIntegers(t *testing.T) {
	for n, size := range map[int64]int{
		5: 2, 10: 2, 127: 2, 128: 3, -128: 2, -129: 3, 32767: 3, 32768: 4, 1 << 31: 6, 1795000000000: 7,
		math.MaxInt64: 9, math.MinInt64: 9,
	} {
		b := strconv.AppendInt(nil, n, 10)
		require.Len(t, AppendElement(nil, b), size, n)
		l := New().Append(AppendElement(nil, b), 1)
		require.Equal(t, string(b), l.texts()[0])
	}
}

// The room of a block follows its size, and is never more than an eighth larger.
func TestRoom(t *testing.T) {
	for size := headerBytes; size < 1<<20; size += 1 + size/50 {
		require.GreaterOrEqual(t, Room(size), size)
		require.LessOrEqual(t, Room(size), max(size+15, size+size/7))
	}
}

// A list that loses an element and gets another one stays in its block.
func TestSlidingListStays(t *testing.T) {
	l := New()
	for i := range 50 {
		l = l.Append(AppendElement(nil, fmt.Append(nil, "member ", i)), 1)
	}
	for i := range 50 {
		was := l
		l = l.Remove(l.First(), l.Next(l.First()), 1)
		l = l.Append(AppendElement(nil, fmt.Append(nil, "member ", 10+i%40)), 1)
		require.Same(t, was, l)
	}
	l = l.Remove(l.First(), l.At(49), 49)
	require.LessOrEqual(t, l.Bytes(), int64(Room(l.End())+mostSpare(l.End())), "a list that shrinks much moves")
}

// randomPairs returns a list of pairs of a text and a number, and what they are.
func randomPairs(r *rand.Rand) (l *List, texts []string, numbers []float64) {
	l = New()
	for range r.IntN(40) {
		text := randomText(r)
		if slices.Contains(texts, string(text)) {
			continue
		}
		f := float64(r.IntN(1000))
		switch r.IntN(4) {
		case 0:
			f = math.Float64frombits(r.Uint64())
		case 1:
			f = float64(int64(r.Uint64()) >> r.IntN(64))
		case 2:
			f = []float64{0.5, math.Inf(1), math.Inf(-1), 1 << 53, 1 << 62, -1 << 63, 1 << 63}[r.IntN(7)]
		}
		if math.IsNaN(f) {
			continue
		}
		texts, numbers = append(texts, string(text)), append(numbers, f)
	}
	if r.IntN(2) == 0 { // of one shape
		for i := range texts {
			texts[i], numbers[i] = fmt.Sprint("m", 100+i), float64(128+r.IntN(1000))
		}
	}
	slices.Sort(numbers)
	for i, f := range numbers {
		l = l.Append(AppendNumber(AppendElement(nil, []byte(texts[i])), f), 2)
	}
	for i := range r.IntN(3) { // a removal, and another pair behind
		if n := len(texts); n > 0 {
			k := r.IntN(n)
			l = l.Remove(l.At(2*k), l.At(2*k+2), 2)
			texts, numbers = slices.Delete(texts, k, k+1), slices.Delete(numbers, k, k+1)
		}
		texts, numbers = append(texts, fmt.Sprint("n", 100+i)), append(numbers, math.Inf(1))
		n := len(texts) - 1
		l = l.Append(AppendNumber(AppendElement(nil, []byte(texts[n])), numbers[n]), 2)
	}
	return l, texts, numbers
}

// TestPairsModel goes over pairs of all shapes. SEED repeats a run.
func TestPairsModel(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 3000 {
		l, texts, numbers := randomPairs(r)
		var scratch []byte
		p := l.Pairs(l.First())
		for i := range texts {
			require.True(t, p.More())
			require.Equal(t, texts[i], string(p.First(&scratch)))
			require.Equal(t, numbers[i], p.Number())
			at, rank, found := l.FindPair(AppendElement(nil, []byte(texts[i])))
			require.True(t, found)
			require.Equal(t, p.At, at)
			require.Equal(t, i, rank)
			p.Next()
		}
		require.False(t, p.More())
		require.Equal(t, l.End(), p.At)
		at, rank, found := l.FindPair(AppendElement(nil, []byte("an absent one")))
		require.False(t, found)
		require.Equal(t, max(len(texts)-1, 0), rank)
		require.Equal(t, l.At(2*rank), at)
		i := r.IntN(len(texts) + 1)
		p = l.Pairs(l.First())
		p.Skip(i)
		require.Equal(t, l.At(2*i), p.At)
		bound, orAt := float64(r.IntN(1000)), r.IntN(2) == 0
		want := slices.IndexFunc(numbers[i:], func(f float64) bool { return f > bound || f == bound && !orAt })
		if want < 0 {
			want = len(texts) - i
		}
		require.Equal(t, want, p.SkipBelow(bound, orAt))
		require.Equal(t, l.At(2*(i+want)), p.At)
	}
}

// alikeAre reports whether all pairs have one shape, none with a long text.
func alikeAre(l *List) bool {
	shapes := map[[3]int]bool{}
	for at := l.First(); at < l.End(); {
		second := l.Next(at)
		shapes[[3]int{int(l.bytes()[at]), int(l.bytes()[second]), second - at}] = true
		if l.bytes()[at] == longText || l.bytes()[second] == longText {
			return false
		}
		at = l.Next(second)
	}
	return len(shapes) <= 1
}

// TestAlikeComesBack: a list knows that its pairs are alike, also after the last one of another shape went. SEED repeats a
// run.
func TestAlikeComesBack(t *testing.T) {
	r := rand.New(randtest.Source(t))
	back := 0
	for range 1000 {
		l := New()
		for range 20 {
			flag, n, i := l.more&alike != 0, l.Len()/2, 0
			if n > 0 {
				i = r.IntN(n)
			}
			text := []string{"one", "two", "odd one", string(bytes.Repeat([]byte("x"), 300))}[max(0, r.IntN(8)-4)]
			pair := AppendNumber(AppendElement(nil, []byte(text)), 1000)
			switch from, to := l.At(2*i), l.At(min(2*i+2, 2*n)); {
			case n > 0 && r.IntN(2) == 0:
				l = l.Remove(from, to, 2)
				require.Equal(t, alikeAre(l), l.more&alike != 0)
				if !flag && l.more&alike != 0 {
					back++
				}
			case n > 0 && r.IntN(2) == 0:
				l = l.Replace(from, to, pair, 2, 2)
			default:
				l = l.Replace(from, from, pair, 0, 2)
			}
			require.True(t, l.more&alike == 0 || alikeAre(l))
			if n = l.Len(); n > 0 {
				require.Equal(t, l.At(n-2), l.PairAt(n/2-1).At)
			}
		}
	}
	require.Positive(t, back)
}

// TestListKeepsItsBlock: a list that grows and shrinks by a sixth in turn needs no other block, and knows its last pair.
func TestListKeepsItsBlock(t *testing.T) {
	pair := AppendNumber(AppendElement(nil, []byte("1700000000123456789-000000001")), 1e15)
	l := Of(bytes.Repeat(pair, 108), 216)
	turn := func() {
		l = l.Remove(l.First(), l.At(32), 32)
		for range 16 {
			l = l.Append(pair, 2)
		}
	}
	require.Zero(t, testing.AllocsPerRun(10, turn))
	require.Equal(t, len(pair), l.lastPair())
}
