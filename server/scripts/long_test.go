package scripts

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// listed returns scripts that take long.
func listed(t *testing.T, s *Scripts, n int) (all []*runner) {
	for range n {
		r := &runner{long: &s.long}
		require.NoError(t, s.long.add(r, 0))
		all = append(all, r)
	}
	return all
}

// TestLongScriptsTakeTurns: one of three scripts runs at a time, and each of them in its turn.
func TestLongScriptsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Scripts
		var order []int
		running, rest := 0, make(chan struct{})
		for i, r := range listed(t, &s, 3) {
			go func() {
				for range 4 {
					r.takeTurn()
					running++
					require.Equal(t, 1, running)
					order = append(order, i)
					rest <- struct{}{}
					running--
				}
				s.long.remove(r)
			}()
			synctest.Wait()
		}
		for range 12 {
			synctest.Wait()
			<-rest
		}
		require.Equal(t, []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}, order)
		synctest.Wait()
		require.Empty(t, s.long.turn)
	})
}

// TestScriptsThatTakeLongAreBounded: there are maxLong of them, and short ones run beside them.
func TestScriptsThatTakeLongAreBounded(t *testing.T) {
	var s Scripts
	all := listed(t, &s, maxLong)
	require.Equal(t, errTooMany, s.long.add(&runner{long: &s.long}, 0))
	_, err := s.Load([]byte("return 1"))
	require.NoError(t, err)
	s.long.remove(all[0])
	listed(t, &s, 1)
}

// TestKillAgain kills a script that has not ended yet, twice. As in Redis, both are OK.
func TestKillAgain(t *testing.T) {
	var s Scripts
	require.Equal(t, errNotBusy, s.Kill())
	all := listed(t, &s, 2)
	all[1].state.Store(dirty)
	require.NoError(t, s.Kill())
	require.NoError(t, s.Kill())
	require.Equal(t, errKilled, all[0].ended())
	require.NoError(t, all[1].ended())
	s.long.remove(all[0])
	require.Equal(t, errUnkillable, s.Kill())
}
