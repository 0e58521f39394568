package sortedsets

import (
	"fmt"
	"testing"
	"time"

	"cellserver/server/servertest"
	"cellserver/store"
	"cellserver/store/sortedset"

	"github.com/stretchr/testify/require"
)

func TestZDiff(t *testing.T) {
	h := servertest.New(t)
	h.Do("ZADD a 1 x 2 y 3 z")
	h.Do("ZADD b 10 y")
	h.Want("ZDIFF 2 a b", []string{"x", "z"})
	h.Want("ZDIFF 3 a absent b WITHSCORES", []string{"x", "1", "z", "3"})
	h.Want("ZDIFF 2 a a", []any{})
	h.Want("ZDIFF 2 absent a", []any{})
	h.Want("ZDIFFSTORE a 2 a b", 2)
	h.Want("ZRANGE a 0 -1 WITHSCORES", []string{"x", "1", "z", "3"})
	h.Want("ZDIFFSTORE a 2 b b", 0)
	h.Want("GET a", nil)
	h.Do("HELLO 3")
	h.Want("ZDIFF 1 b WITHSCORES", []any{[]any{"y", 10.0}})
}

// TestZDiffIsLinear: the time does not grow with the product of the sizes. Otherwise it would be a minute or more.
func TestZDiffIsLinear(t *testing.T) {
	const n = 40_000
	setOf := func(n int) input {
		var items []store.Item
		for i := range n {
			items = append(items, store.Item{Member: fmt.Sprint("m", i)})
		}
		return input{sorted: sortedset.Of(sortedset.NewOf(items, &store.Limits{}))}
	}
	o := combination{inputs: []input{setOf(n)}}
	for range n {
		o.inputs = append(o.inputs, setOf(1))
	}
	begun := time.Now()
	require.Len(t, o.diff(), n-1)
	require.Less(t, time.Since(begun), 20*time.Second)
}
