package sets

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/store"
	"cellserver/store/set"

	"github.com/stretchr/testify/require"
)

func TestCombine(t *testing.T) {
	h := servertest.New(t)
	h.Do("SADD a 1 2 3 4")
	h.Do("SADD b 3 4 5")
	h.Do("SADD c 4 9")
	h.Want("SINTER a b c", []string{"4"})
	h.Want("SINTER a", []string{"1", "2", "3", "4"})
	h.Want("SINTER a absent", []any{})
	require.ElementsMatch(t, []any{"1", "2", "3", "4", "5", "9"}, h.Do("SUNION a b absent c"))
	h.Want("SUNION absent", []any{})
	h.Want("SDIFF a b c", []string{"1", "2"})
	h.Want("SDIFF a", []string{"1", "2", "3", "4"})
	h.Want("SDIFF a a", []any{})
	h.Want("SDIFF absent a", []any{})
	h.Do("HELLO 3")
	h.Want("SINTER a b c", resptest.Set{"4"})
	h.Want("SINTER a absent", resptest.Set{})
}

func TestCombineStore(t *testing.T) {
	h := servertest.New(t)
	h.Do("SADD a 1 2 3 4")
	h.Do("SADD b 3 4 5")
	h.Want("SINTERSTORE d a b", 2)
	h.Want("SMEMBERS d", []string{"3", "4"})
	h.Want("OBJECT ENCODING d", "intset")
	h.Want("SUNIONSTORE d a b absent", 5)
	h.Want("SMEMBERS d", []string{"1", "2", "3", "4", "5"})
	h.Want("SDIFFSTORE a a b", 2)
	h.Want("SMEMBERS a", []string{"1", "2"})
	h.Want("SINTERSTORE d a absent", 0)
	h.Want("EXISTS d", 0)
}

// TestCombineIsLinear: the time of a union or of a difference does not grow with the product of the sizes. Otherwise each
// of these would take a minute or more.
func TestCombineIsLinear(t *testing.T) {
	const n = 40_000
	setOf := func(from, to int) set.Set {
		var c store.Collection
		for i := from; i < to; i++ {
			c, _ = set.Add.Apply(c, &store.Operands{Value: []byte(fmt.Sprint("m", i))}, &store.Limits{SetIntEntries: 1})
		}
		return set.Of(c)
	}
	size := func(of members) (size int) {
		of(func([]byte) bool {
			size++
			return true
		})
		return size
	}
	large, same, others := setOf(0, n), []set.Set{}, []set.Set{}
	for i := range n {
		same, others = append(same, setOf(0, 1)), append(others, setOf(i, i+1))
	}
	begun := time.Now()
	require.Equal(t, n-1, size(diff(append([]set.Set{large}, same...))))
	require.Equal(t, n, size(union(others)))
	require.Less(t, time.Since(begun), 20*time.Second)
}

// TestCombineStoreReplacesAnyValue: the destination may hold any value, and loses its expiry.
func TestCombineStoreReplacesAnyValue(t *testing.T) {
	h := servertest.New(t)
	h.Do("SADD b 3 4 5")
	h.Do("SET s 1 EX 100")
	h.Want("SUNIONSTORE s b absent", 3)
	h.Want("TYPE s", resptest.Simple("set"))
	h.Want("TTL s", -1)
	h.Do("SET s 1")
	h.Want("SDIFFSTORE s absent b", 0)
	h.Want("EXISTS s", 0)
}

func TestCombineErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	h.Do("SADD s a")
	for _, name := range []string{"SINTER", "SUNION", "SDIFF"} {
		for _, keys := range []string{"n", "s n", "absent n", "n absent"} {
			h.Want(name+" "+keys, commands.ErrWrongType)
			h.Want(name+"STORE d "+keys, commands.ErrWrongType)
		}
	}
	h.Want("SINTER", commands.Error("ERR wrong number of arguments for 'sinter' command"))
	h.Want("SINTERSTORE d", commands.Error("ERR wrong number of arguments for 'sinterstore' command"))
	h.Want("ZUNIONSTORE d 2 s n", commands.ErrWrongType)
	h.Want("EXISTS d", 0)
}

// TestSortedSetCommandsReadSets: a member of a set has the score 1.
func TestSortedSetCommandsReadSets(t *testing.T) {
	h := servertest.New(t)
	h.Do("SADD s a")
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
