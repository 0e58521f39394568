package limits

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClTop(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.TOP", []any{})
	limited := func(key string, times int) {
		h.Do("CL.THROTTLE", key, 0, 1, 1000)
		for range times {
			h.Do("CL.THROTTLE", key, 0, 1, 1000)
		}
	}
	limited("often", 3)
	limited("never", 0)
	limited("once", 1)
	limited("twice", 2)
	h.Do("CL.PROBE often 0 1 1000")
	h.Want("CL.TOP", []any{[]any{"often", 3, 0}, []any{"twice", 2, 0}, []any{"once", 1, 0}})
	h.Want("CL.TOP 2", []any{[]any{"often", 3, 0}, []any{"twice", 2, 0}})

	h.Want("SELECT 1", ok)
	h.Want("CL.TOP", []any{})
	limited("often", 1)
	h.Want("CL.TOP 8192 reset", []any{[]any{"often", 1, 0}})
	h.Want("CL.TOP", []any{})
	h.Want("SELECT 0", ok)
	h.Want("CL.TOP 1", []any{[]any{"often", 3, 0}})
	h.Want("CONFIG RESETSTAT", ok)
	h.Want("CL.TOP", []any{})
	limited("new", 1)
	h.Want("CL.TOP RESET", []any{[]any{"new", 1, 0}})
}

func TestClTopErrors(t *testing.T) {
	h := servertest.New(t)
	for _, n := range []string{"0", "-1", "8193", "x", "1.5", "99999999999999999999"} {
		h.Want("CL.TOP "+n, errTop)
	}
	for args, want := range map[string]string{
		"RESET 1": "'1' is a word too much after CL.TOP", "RESET RESET": "'RESET' is a word too much after CL.TOP",
		"1 2": "'2' is not an option of CL.TOP: use RESET", "1 RESETS": "'RESETS' is not an option of CL.TOP: use RESET",
	} {
		h.Want("CL.TOP "+args, commands.Error("ERR syntax error: "+want))
	}
}

// TestClTopFindsTheWorst limits more keys than CL.TOP can count, with many clients at once. CL.TOP
// finds the keys that are limited far more often, and no count is too low.
func TestClTopFindsTheWorst(t *testing.T) {
	h := servertest.New(t)
	const clients, rounds, worst = 8, 40, 10
	var wg sync.WaitGroup
	for i := range clients {
		c := h.NewClient(t)
		wg.Go(func() {
			for round := range rounds {
				for bad := range worst {
					c.Do("CL.THROTTLE", fmt.Sprint("bad:", bad), 0, 1, 1000, 2) // more than the limit
				}
				for n := range 30 {
					c.Do("CL.THROTTLE", fmt.Sprintf("client:%d:%d:%d", i, round, n), 0, 1, 1000, 2)
				}
			}
		})
	}
	wg.Wait()
	top := h.Do("CL.TOP 20").([]any)
	require.Len(t, top, 20)
	var keys []string
	for _, one := range top[:worst] {
		row := one.([]any)
		keys = append(keys, row[0].(string))
		times, over := row[1].(int64), row[2].(int64)
		require.GreaterOrEqual(t, times, int64(clients*rounds))
		require.LessOrEqual(t, times-over, int64(clients*rounds))
	}
	slices.Sort(keys)
	require.Equal(t, "bad:0 bad:1 bad:2 bad:3 bad:4 bad:5 bad:6 bad:7 bad:8 bad:9", strings.Join(keys, " "))
	require.LessOrEqual(t, len(h.Do("CL.TOP 8192").([]any)), 8192)
}
