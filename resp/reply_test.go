package resp

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// TestReply reads what the writer of the server writes.
func TestReply(t *testing.T) {
	random := rand.New(randtest.Source(t))
	numbers := []int64{0, -1, 9, 10, math.MaxInt64, math.MinInt64}
	for range 1000 {
		numbers = append(numbers, int64(random.Uint64())>>random.IntN(64))
	}
	w := new(Writer)
	w.Proto = 2
	w.Array(2 * len(numbers))
	for _, n := range numbers {
		w.Int(n)
		w.BulkString(strconv.FormatInt(n, 10))
	}
	w.Int(7)
	r := ReplyOf(w.Bytes())
	_, isError := r.Error()
	require.False(t, isError)
	require.EqualValues(t, 2*len(numbers), r.Int())
	for _, n := range numbers {
		require.Equal(t, n, r.Int())
		require.Equal(t, strconv.FormatInt(n, 10), r.Text())
	}
	require.EqualValues(t, 7, r.Int())
	require.False(t, r.Short)
	require.EqualValues(t, -1, r.Int(), "the reply has ended")
	require.Empty(t, r.Text())
	require.True(t, r.Short)
}

// TestElements: no number of elements is below 0, or more than the bytes of the reply.
func TestElements(t *testing.T) {
	for text, n := range map[string]int{
		"*2\r\n:1\r\n:2\r\n": 2, "*0\r\n": 0, "*-1\r\n": 0, ":-1\r\n": 0, "": 0, "$1\r\na\r\n": 1,
		"*9223372036854775807\r\n:1\r\n:2\r\n": 2,
	} {
		r := ReplyOf([]byte(text))
		require.Equal(t, n, r.Elements(), text)
	}
}

func TestReplyError(t *testing.T) {
	w := new(Writer)
	w.Error("ERR no such rule")
	r := ReplyOf(w.Bytes())
	text, isError := r.Error()
	require.True(t, isError)
	require.Equal(t, "ERR no such rule", text)
}
