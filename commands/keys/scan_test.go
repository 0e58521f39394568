package keys

import (
	"cellserver/commands"
	"cellserver/server/servertest"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// scanAll scans to the end and returns all keys, and the number of calls.
func scanAll(h *servertest.Harness, options string) (keys []any, calls int) {
	cursor := "0"
	for {
		reply := h.Do("SCAN " + cursor + " " + options).([]any)
		keys = append(keys, reply[1].([]any)...)
		cursor = reply[0].(string)
		if calls++; cursor == "0" {
			return keys, calls
		}
	}
}

func TestScan(t *testing.T) {
	h := servertest.New(t)
	h.Want("SCAN 0", []any{"0", []any{}})
	var all, tens, sets []any
	for i := range 1000 {
		key := fmt.Sprintf("key:%d", i)
		all = append(all, key)
		if i%10 == 0 {
			tens = append(tens, key)
			h.SortedSet(key, "m")
			sets = append(sets, key)
			continue
		}
		h.Do("SET", key, i)
	}
	h.Want("SET gone 1 PX 1", ok)
	h.Advance(2 * time.Millisecond)
	for options, want := range map[string][]any{
		"": all, "MATCH *": all, "COUNT 1": all, "COUNT 9223372036854775807": all, "match key:*0 count 37": tens,
		"TYPE zset": sets, "TYPE ZSet": sets, "TYPE hash": nil, "TYPE string MATCH *0": nil, "TYPE x TYPE zset": sets,
	} {
		got, calls := scanAll(h, options)
		require.ElementsMatch(t, want, got, options)
		if options == "" {
			require.Greater(t, calls, 20)
		}
	}
}

// TestScanWhileWriting: a scan returns every key that stays, while other keys are written and
// deleted.
func TestScanWhileWriting(t *testing.T) {
	h := servertest.New(t)
	for i := range 300 {
		h.Do("SET", fmt.Sprintf("stays:%d", i), i)
	}
	seen := map[any]int{}
	cursor := "0"
	for n := 0; ; n++ {
		reply := h.Do("SCAN " + cursor + " MATCH stays:* COUNT 5").([]any)
		for _, key := range reply[1].([]any) {
			seen[key]++
		}
		if cursor = reply[0].(string); cursor == "0" {
			break
		}
		for i := range 50 {
			h.Do("SET", fmt.Sprintf("new:%d:%d", n, i), i)
			h.Do("DEL", fmt.Sprintf("new:%d:%d", n-1, i))
		}
	}
	require.Len(t, seen, 300)
	for key, times := range seen {
		require.Equal(t, 1, times, key)
	}
}

func TestScanErrors(t *testing.T) {
	h := servertest.New(t)
	for _, cursor := range []string{"x", "1x", `" 1"`, "1.5", "18446744073709551616"} {
		h.Want("SCAN "+cursor, commands.ErrInvalidCursor)
	}
	for _, options := range []string{"COUNT", "COUNT 0", "COUNT -1", "TYPE", "MATCH", "FOO 1", "COUNT 1 MATCH"} {
		h.Want("SCAN 0 "+options, commands.ErrSyntax)
	}
	h.Want("SCAN 0 COUNT x", commands.ErrNotInteger)
	h.Want(`SCAN ""`, []any{"0", []any{}})
	h.Want("SCAN 18446744073709551615", []any{"0", []any{}})
}

// TestScanWhoseExpiredKeysGo: the other keys of the reply stay what they are, although their cells move while
// the scan removes the expired ones.
func TestScanWhoseExpiredKeysGo(t *testing.T) {
	h := servertest.New(t)
	var stay []any
	for i := range 4000 {
		key := fmt.Sprintf("{tag}:%d", i)
		if i%8 == 0 {
			stay = append(stay, key)
			h.Do("SET", key, i)
		} else {
			h.Do("SET", key, i, "PX", 1)
		}
	}
	h.Advance(2 * time.Millisecond)
	got, _ := scanAll(h, "COUNT 10000")
	h.Want("DBSIZE", len(stay))
	require.ElementsMatch(t, stay, got)
}
