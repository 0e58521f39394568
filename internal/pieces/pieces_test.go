package pieces

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// lengths are on both sides of each bound.
var lengths = []int{0, 1, size - 1, size, size + 1, 3*size - 1, 3 * size, 5*size + 7}

func TestAppend(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef!"), size)
	for _, before := range lengths {
		for _, more := range lengths {
			for _, room := range []int{0, 1, 10 * size} {
				dst := append(make([]byte, 0, before+room), text[:before]...)
				got := Append(dst, text[before:before+more])
				require.True(t, bytes.Equal(text[:before+more], got), "%d and %d bytes", before, more)
				require.True(t, bytes.Equal(text[:before], dst))
			}
		}
	}
	require.Nil(t, Append(nil, ""))
}

func TestGrow(t *testing.T) {
	text := bytes.Repeat([]byte("x"), 6*size)
	for _, before := range lengths {
		for _, n := range lengths {
			b := Grow(append([]byte(nil), text[:before]...), n)
			require.Len(t, b, before)
			require.GreaterOrEqual(t, cap(b)-len(b), n)
			require.True(t, bytes.Equal(text[:before], b))
		}
	}
}

// TestGrowHoldsElements: elements with pointers keep their values, and the room behind them is zero.
func TestGrowHoldsElements(t *testing.T) {
	type element struct {
		number *int
		text   string
	}
	var all []element
	for i := range 5*size/24 + 7 {
		if len(all) == cap(all) {
			all = Grow(all, 1)
			require.Zero(t, all[len(all):cap(all)][0])
		}
		all = append(all, element{&i, "text"})
	}
	for i, e := range all {
		require.Equal(t, i, *e.number)
	}
}

func TestExtend(t *testing.T) {
	text := bytes.Repeat([]byte("x"), 12*size)
	for _, before := range lengths {
		for _, n := range lengths {
			for _, room := range []int{0, 1, n, n + 5} {
				used := append([]byte(nil), text[:before+room]...)
				b := Extend(used[:before:before+room], n)
				require.True(t, bytes.Equal(text[:before], b[:before]))
				require.True(t, bytes.Equal(make([]byte, n), b[before:]), "%d and %d bytes", before, n)
			}
		}
	}
}

// TestGrowthIsGeometric: many small appends to a long slice copy it seldom.
func TestGrowthIsGeometric(t *testing.T) {
	b, grown := make([]byte, 10*size), 0
	for range 100 {
		before := cap(b)
		if b = Append(b, make([]byte, size)); cap(b) != before {
			grown++
		}
	}
	require.Less(t, grown, 20)
}
