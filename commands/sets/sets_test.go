package sets

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestAddAndRemove(t *testing.T) {
	h := servertest.New(t)
	h.Want("SADD s 5 -3 5 10", 3)
	h.Want("SMEMBERS s", []string{"-3", "5", "10"})
	h.Want("OBJECT ENCODING s", "intset")
	h.Want("SADD s 10 100000 x", 2)
	h.Want("OBJECT ENCODING s", "hashtable")
	h.Want("SCARD s", 5)
	h.Want("SISMEMBER s 100000", 1)
	h.Want("SMISMEMBER s x y 05", []any{1, 0, 0})
	h.Want("SREM s x y", 1)
	h.Want("SMOVE s t 5", 1)
	h.Want("SMOVE s t 5", 0)
	h.Want("SMEMBERS t", []string{"5"})
	h.Want("SREM s -3 10 100000", 3)
	h.Want("EXISTS s", 0)
	h.Want("SMEMBERS s", []any{})
}

func TestForms(t *testing.T) {
	h := servertest.New(t)
	for i := range 513 {
		h.Do("SADD", "ints", i)
		h.Do("SADD", "texts", fmt.Sprint("m", i))
		require.Equal(t, h.Wire(i+1), h.Do("SCARD ints"))
		require.Equal(t, h.Wire(i+1), h.Do("SCARD texts"))
	}
	h.Want("OBJECT ENCODING ints", "hashtable")
	h.Want("SISMEMBER ints 512", 1)
	h.Want("SISMEMBER texts m0", 1)
	h.Do("SADD few 1 2")
	h.Want("SADD few "+strings.Repeat("x", 1000), 1)
	h.Want("SISMEMBER few "+strings.Repeat("x", 1000), 1)
	h.Want("SREM few "+strings.Repeat("x", 1000), 1)
	h.Want("SMISMEMBER few 1 2 3", []any{1, 1, 0})
}

func TestRandom(t *testing.T) {
	h := servertest.New(t)
	h.Want("SPOP s", nil)
	h.Want("SPOP s 3", []any{})
	h.Want("SRANDMEMBER s", nil)
	h.Want("SRANDMEMBER s 3", []any{})
	for i := range 1000 {
		h.Do("SADD", "s", i)
	}
	seen := map[any]bool{}
	for left := 1000; left > 0; left -= 50 {
		require.Len(t, h.Do("SRANDMEMBER s 7"), 7)
		require.Len(t, h.Do("SRANDMEMBER s -2000"), 2000)
		for _, m := range h.Do("SPOP s 50").([]any) {
			require.False(t, seen[m])
			seen[m] = true
		}
		h.Want("SCARD s", left-50)
	}
	h.Want("EXISTS s", 0)
}

func TestErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	h.Do("SADD s a")
	for line, err := range map[string]commands.Error{
		"SADD n a": commands.ErrWrongType, "SREM n a": commands.ErrWrongType, "SISMEMBER n a": commands.ErrWrongType,
		"SMISMEMBER n a": commands.ErrWrongType, "SMEMBERS n": commands.ErrWrongType, "SCARD n": commands.ErrWrongType,
		"SPOP n": commands.ErrWrongType, "SRANDMEMBER n": commands.ErrWrongType, "SSCAN n 0": commands.ErrWrongType,
		"SMOVE n s a": commands.ErrWrongType, "SMOVE s n a": commands.ErrWrongType, "SINTER absent n": commands.ErrWrongType,
		"SUNIONSTORE d s n": commands.ErrWrongType, "SPOP s -1": commands.ErrNotPositive, "SPOP s x": commands.ErrNotPositive,
		"SPOP s 1 2": commands.ErrSyntax, "SRANDMEMBER s 1 2": commands.ErrSyntax, "SRANDMEMBER s x": commands.ErrNotInteger,
		"SINTERCARD 0 s":            "ERR numkeys should be greater than 0",
		"SINTERCARD 2 s":            "ERR Number of keys can't be greater than number of args",
		"SINTERCARD 1 s LIMIT -1":   "ERR LIMIT can't be negative",
		"SINTERCARD 1 s LIMIT":      commands.ErrSyntax,
		"SRANDMEMBER s -9000000000": "ERR value is out of range, the reply would be too large",
		"ZUNIONSTORE d 2 s n":       commands.ErrWrongType,
	} {
		h.Want(line, err)
	}
	h.Want("EXISTS d", 0)
	h.Do("ZADD z 5 a 7 b")
	h.Want("ZUNION 2 z s WITHSCORES", []string{"a", "6", "b", "7"})
	h.Want("ZDIFF 2 z s", []string{"b"})
}

// TestSetsModel combines random sets, and compares the results with those of maps. SEED repeats a run.
func TestSetsModel(t *testing.T) {
	r := rand.New(randtest.Source(t))
	h := servertest.New(t)
	for _, members := range []int{5, 100, 700} {
		h.Do("FLUSHALL")
		all := [3]map[string]bool{{}, {}, {}}
		for range 1500 {
			i, m := r.IntN(3), strconv.Itoa(r.IntN(members))
			if i > 0 && r.IntN(2) == 0 {
				m = "m" + m
			}
			if r.IntN(3) == 0 {
				h.Want(fmt.Sprintf("SREM k%d %s", i, m), map[bool]int{true: 1, false: 0}[all[i][m]])
				delete(all[i], m)
			} else {
				h.Want(fmt.Sprintf("SADD k%d %s", i, m), map[bool]int{false: 1, true: 0}[all[i][m]])
				all[i][m] = true
			}
		}
		inter, diff, union := map[any]bool{}, map[any]bool{}, map[any]bool{}
		for i, one := range all {
			for m := range one {
				union[m] = true
				if i == 0 && all[1][m] && all[2][m] {
					inter[m] = true
				}
				if i == 0 && !all[1][m] && !all[2][m] {
					diff[m] = true
				}
			}
		}
		for command, want := range map[string]map[any]bool{"SINTER": inter, "SDIFF": diff, "SUNION": union} {
			got := map[any]bool{}
			for _, m := range h.Do(command + " k0 k1 k2").([]any) {
				require.False(t, got[m], "%s twice", m)
				got[m] = true
			}
			require.Equal(t, want, got, command)
			h.Want(command+"STORE d k0 k1 k2", len(want))
			h.Want("SCARD d", len(want))
		}
		h.Want("SINTERCARD 3 k0 k1 k2", len(inter))
	}
}
