package sets

import (
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestSRandMember(t *testing.T) {
	h := servertest.New(t)
	h.Want("SRANDMEMBER s", nil)
	h.Want("SRANDMEMBER s 3", []any{})
	h.Want("SRANDMEMBER s -9223372036854775807", []any{})
	h.Do("SADD s 4 9")
	require.Contains(t, []any{"4", "9"}, h.Do("SRANDMEMBER s"))
	h.Want("SRANDMEMBER s 0", []any{})
	h.Want("SRANDMEMBER s 2", []string{"4", "9"})
	h.Want("SRANDMEMBER s 5", []string{"4", "9"})
	require.Len(t, h.Do("SRANDMEMBER s 1"), 1)
	require.Len(t, h.Do("SRANDMEMBER s -5"), 5)
	h.Want("SCARD s", 2)
	h.Do("HELLO 3")
	h.Want("SRANDMEMBER s 2", []string{"4", "9"})
	h.Want("SRANDMEMBER absent", nil)
}

// TestSRandMemberIsFair: every member is about as frequent as any other, in each form. With a positive count no member
// repeats.
func TestSRandMemberIsFair(t *testing.T) {
	h := servertest.New(t)
	for _, first := range []string{"0", "x"} {
		h.Do("DEL s")
		h.Do("SADD s 1 2 3 4 5 6 7 8 9 " + first)
		seen := map[any]int{}
		const rounds = 1000
		for range rounds {
			seen[h.Do("SRANDMEMBER s")]++
			for _, m := range h.Do("SRANDMEMBER s -2").([]any) {
				seen[m]++
			}
			once := map[any]bool{}
			for _, m := range h.Do("SRANDMEMBER s 7").([]any) {
				require.False(t, once[m])
				once[m] = true
				seen[m]++
			}
		}
		require.Len(t, seen, 10)
		for m, n := range seen {
			require.InDelta(t, rounds, n, rounds/8, m)
		}
	}
}

// TestSRandMemberOfALargeSet requires as many members as the count says.
func TestSRandMemberOfALargeSet(t *testing.T) {
	h := servertest.New(t)
	for i := range 1000 {
		h.Do("SADD", "s", i)
	}
	require.Len(t, h.Do("SRANDMEMBER s 7"), 7)
	require.Len(t, h.Do("SRANDMEMBER s 2000"), 1000)
	require.Len(t, h.Do("SRANDMEMBER s -2000"), 2000)
	h.Want("SCARD s", 1000)
}

func TestSRandMemberErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("INCR n")
	h.Do("SADD s a")
	for line, err := range map[string]commands.Error{
		"SRANDMEMBER n":                      commands.ErrWrongType,
		"SRANDMEMBER n 1":                    commands.ErrWrongType,
		"SRANDMEMBER n x":                    commands.ErrNotInteger,
		"SRANDMEMBER n 1 2":                  commands.ErrSyntax,
		"SRANDMEMBER s -9223372036854775808": "ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807",
		"SRANDMEMBER s -9000000000":          "ERR value is out of range, the reply would be too large",
	} {
		h.Want(line, err)
	}
	h.Want("SRANDMEMBER s", "a")
}
