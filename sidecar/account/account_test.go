package account

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// story is an account with a clock that the test moves.
type story struct {
	*Account
	t   *testing.T
	now Time
}

// newStory returns the account of a key to which 100 requests a second come.
func newStory(t *testing.T) *story {
	table := NewTable(Settings{Lease: 1000, Keys: 10})
	s := &story{table.Account("ann", []byte("cl.throttle k 99 100 1")), t, Time{5_000_000, 1_790_000_000_000_000}}
	s.warm()
	return s
}

// warm makes the key hot.
func (s *story) warm() {
	for range 20 {
		for range 10 {
			verdict, _ := s.Take(s.now, 1)
			require.Contains(s.t, []Verdict{Pass, Wait}, verdict)
			s.Gone(1)
		}
		s.pass(100)
	}
}

// pass lets milliseconds pass on both clocks.
func (s *story) pass(ms int64) {
	s.now.Boot += ms * 1000
	s.now.Wall += ms * 1000
}

// lease asks and gets a grant, which begins at 100 units.
func (s *story) lease(g Grant) Ask {
	ask, ok := s.NextAsk(s.now)
	require.True(s.t, ok)
	s.Granted(s.now, ask, g)
	return ask
}

func (s *story) wantTake(want Verdict, quantity int64) Answer {
	s.t.Helper()
	got, answer := s.Take(s.now, quantity)
	require.Equal(s.t, want, got)
	return answer
}

// TestHotKey: a request waits for the first lease, and later ones do not.
func TestHotKey(t *testing.T) {
	s := newStory(t)
	s.wantTake(Wait, 1)
	ask, ok := s.NextAsk(s.now)
	require.True(t, ok)
	require.InDelta(t, 51, ask.Want, 4, "half of the demand of a lease, and one that waits")
	require.EqualValues(t, 1000, ask.TTL)
	require.Equal(t, Back{}, ask.Back)
	_, ok = s.NextAsk(s.now)
	require.False(t, ok, "one question at a time")
	s.wantTake(Wait, 1)
	s.pass(1)
	s.Granted(s.now, ask, Grant{ask.Want, 100, 25, -1, 750, 250, 7})
	for range 2 {
		verdict, answer := s.Again(s.now, 1)
		require.Equal(t, Local, verdict)
		require.EqualValues(t, 100, answer.Limit)
	}
	answer := s.wantTake(Local, 1)
	require.Equal(t, Answer{100, 25 + ask.Want - 3, -1, 750}, answer)
	s.pass(10)
	require.EqualValues(t, 740, s.wantTake(Local, 1).ResetAfter)
	require.Equal(t, Figures{Leased: ask.Want, Spent: 4, Passed: s.table.Figures.Passed, Asks: 1}, s.table.Figures)

	_, ok = s.NextAsk(s.now)
	require.False(t, ok, "enough is left")
	for s.left() > 5 {
		s.wantTake(Local, 1)
	}
	_, ok = s.NextAsk(s.now)
	require.True(t, ok, "less than a quarter is left")
	s.wantTake(Local, 1)
}

// TestColdKey: its requests pass, and its refusals are remembered for a second at most.
func TestColdKey(t *testing.T) {
	table := NewTable(Settings{Lease: 1000, Keys: 10})
	s := &story{table.Account("ann", []byte("k")), t, Time{5_000_000, 0}}
	s.wantTake(Pass, 1)
	s.Passed(s.now, s.now, 2, true, Answer{5, 1, 40, 160})
	require.Equal(t, Answer{5, 1, 40, 160}, s.wantTake(Refused, 2))
	s.wantTake(Pass, 1) // a smaller quantity may fit
	s.wantTake(Pass, 6) // and the hub says that this one never does
	s.pass(39)
	require.Equal(t, Answer{5, 1, 1, 121}, s.wantTake(Refused, 2))
	s.pass(1)
	s.wantTake(Pass, 2)
	s.Passed(s.now, s.now, 2, true, Answer{5, 0, 60_000, 60_000})
	s.pass(999)
	require.EqualValues(t, 59_001, s.wantTake(Refused, 3).RetryAfter)
	s.Passed(s.now, s.now, 1, false, Answer{5, 4, -1, 1000})
	s.wantTake(Refused, 3)
	s.Passed(s.now, s.now, 2, false, Answer{5, 3, -1, 1000})
	s.wantTake(Pass, 3)
	s.Passed(s.now, s.now, 3, true, Answer{5, 0, 60_000, 60_000})
	s.pass(1000)
	s.wantTake(Pass, 3)
	_, ok := s.NextAsk(s.now)
	require.False(t, ok)
}

// TestFirstQuestion: a lease that begins may get no units, while a request may get the last one. So the request passes.
func TestFirstQuestion(t *testing.T) {
	s := newStory(t)
	s.wantTake(Wait, 1)
	s.lease(Grant{0, 16, 1, 1000, 32_000, 250, 7})
	verdict, _ := s.Again(s.now, 1)
	require.Equal(t, Pass, verdict)
	s.wantTake(Pass, 1)
	s.Passed(s.now, s.now, 1, true, Answer{16, 0, 2000, 32_000})
	s.wantTake(Refused, 1)
	s.pass(1000)
	s.wantTake(Wait, 1)
	s.lease(Grant{0, 16, 0, 1000, 32_000, 250, 7})
	verdict, _ = s.Again(s.now, 1)
	require.Equal(t, Refused, verdict)
}

// TestLimit: after a grant of less, the rest is refused at once, until it is worth asking again.
func TestLimit(t *testing.T) {
	s := newStory(t)
	s.wantTake(Wait, 1)
	s.lease(Grant{2, 100, 0, -1, 1000, 250, 7})
	verdict, _ := s.Again(s.now, 1)
	require.Equal(t, Local, verdict)
	s.wantTake(Local, 1)
	require.Equal(t, Answer{100, 0, 121, 1000}, s.wantTake(Refused, 1), "about twelve requests come in this time")
	_, ok := s.NextAsk(s.now)
	require.False(t, ok)
	s.pass(121)
	s.wantTake(Wait, 1)
	ask, ok := s.NextAsk(s.now)
	require.True(t, ok)
	s.Granted(s.now, ask, Grant{0, 100, 0, 400, 1000, 250, 7})
	verdict, answer := s.Again(s.now, 1)
	require.Equal(t, Refused, verdict)
	require.Equal(t, Answer{100, 0, 400, 1000}, answer)
	s.pass(399)
	s.wantTake(Refused, 1)
	s.pass(1)
	s.wantTake(Wait, 1)
	s.lease(Grant{0, 100, 0, 3_600_000, 3_600_000, 250, 7})
	s.pass(999)
	require.EqualValues(t, 3_599_001, s.wantTake(Refused, 1).RetryAfter)
	s.pass(1)
	verdict, _ = s.Take(s.now, 1)
	require.NotEqual(t, Refused, verdict, "a deleted key has its effect after a second")
}

// TestQuantities: a quantity takes from the oldest leases. What no lease can cover passes.
func TestQuantities(t *testing.T) {
	s := newStory(t)
	s.wantTake(Wait, 1)
	s.lease(Grant{10, 100, 60, -1, 500, 250, 1})
	verdict, _ := s.Again(s.now, 1)
	require.Equal(t, Local, verdict)
	s.pass(110)
	s.Granted(s.now, Ask{Want: 11, TTL: 1000, Departed: s.now}, Grant{10, 100, 50, -1, 500, 250, 2})
	require.EqualValues(t, 50+4, s.wantTake(Local, 15).Remaining)
	require.EqualValues(t, 2, s.held.leases[len(s.held.leases)-1].units.At)
	require.EqualValues(t, 4, s.left())
	s.wantTake(Refused, 5)
	s.known.until, s.held.nextAsk = 0, 0
	s.wantTake(Wait, 50)
	s.Gone(50)
	s.wantTake(Pass, 51) // above half of the limit
	limited, _, ok := s.Look(s.now, 4)
	require.True(t, ok && !limited)
	limited, _, ok = s.Look(s.now, 0)
	require.True(t, ok && !limited)
	_, _, ok = s.Look(s.now, 5)
	require.False(t, ok)
}

// TestLeaseEnds: a lease ends by each of the two clocks, a thousandth before the hub's end.
func TestLeaseEnds(t *testing.T) {
	for name, most := range map[string]Time{"boot": {Boot: 250*999 - 2}, "wall": {Wall: 250*1000 - 1}} {
		s := newStory(t)
		s.receive(s.now, Ask{Departed: s.now}, Back{20, 1, 250})
		s.held.back = Back{1, 1, 1} // so that units near the end stay
		s.now.Boot += most.Boot
		s.now.Wall += most.Wall
		s.expire(s.now)
		require.EqualValues(t, 20, s.left(), name)
		s.now.Boot += min(1, most.Boot)
		s.now.Wall += min(1, most.Wall)
		s.expire(s.now)
		require.Zero(t, s.left(), name)
	}
	s := newStory(t)
	s.wantTake(Wait, 1)
	ask, _ := s.NextAsk(s.now)
	s.pass(250)
	s.Granted(s.now, ask, Grant{20, 100, 0, -1, 500, 250, 1})
	require.Zero(t, s.left(), "the grant comes after its end")
	require.EqualValues(t, 20, s.table.Figures.Stranded)
}

// tick returns the questions that a table sends by itself.
func (s *story) tick() (sent []Ask) {
	s.table.Tick(s.now, func(_ *Account, ask Ask) { sent = append(sent, ask) })
	return sent
}

// TestGiveBack: units leave the memory a tenth before the end of their lease, and come back with one question.
func TestGiveBack(t *testing.T) {
	s := newStory(t)
	s.wantTake(Wait, 1)
	s.lease(Grant{20, 100, 0, -1, 500, 250, 77})
	s.Again(s.now, 1)
	s.pass(224)
	s.demand.last = s.now.Boot // the demand goes on
	require.Empty(t, s.tick())
	s.pass(1)
	sent := s.tick()
	require.Len(t, sent, 1)
	require.Equal(t, Back{19, 77, 250}, sent[0].Back)
	require.Zero(t, sent[0].Want, "nobody asks for units of which nobody needs any")
	require.Zero(t, s.left())
	require.Empty(t, s.tick(), "units come back once")
	s.Granted(s.now, sent[0], Grant{0, 100, 100, -1, 0, 250, 99})
	require.EqualValues(t, 19, s.table.Figures.Returned)

	s = newStory(t)
	s.wantTake(Wait, 1)
	s.lease(Grant{20, 100, 0, -1, 500, 250, 77})
	s.Again(s.now, 1)
	s.pass(100)
	require.Empty(t, s.tick())
	s.pass(1)
	sent = s.tick()
	require.Len(t, sent, 1, "the demand has ended, so all units come back early")
	require.Equal(t, Back{19, 77, 250}, sent[0].Back)
	s.Granted(s.now, sent[0], Grant{0, 100, 100, -1, 0, 250, 99})
	_, ok := s.NextAsk(s.now)
	require.False(t, ok)

	s = newStory(t)
	s.wantTake(Wait, 1)
	s.lease(Grant{20, 100, 0, -1, 500, 250, 77})
	s.Again(s.now, 1)
	s.pass(230)
	s.wantTake(Wait, 1)
	var ask Ask
	ask, ok = s.NextAsk(s.now)
	require.True(t, ok)
	require.Equal(t, Back{19, 77, 250}, ask.Back, "they come back with the next question")
	s.Lost(s.now, ask)
	s.pass(200)
	ask, ok = s.NextAsk(s.now)
	require.True(t, ok)
	require.Equal(t, Back{}, ask.Back, "no question gives them back twice")
	require.EqualValues(t, 19, s.table.Figures.Stranded)
}

// TestLost: a hub that does not answer.
func TestLost(t *testing.T) {
	s := newStory(t)
	s.wantTake(Wait, 1)
	ask, _ := s.NextAsk(s.now)
	s.pass(100)
	s.Lost(s.now, ask)
	s.Gone(1)
	verdict, _ := s.WithoutHub(s.now, 1, Deny, 8)
	require.Equal(t, Pass, verdict, "nobody knows the limit")
	verdict, _ = s.WithoutHub(s.now, 1, Allow, 8)
	require.Equal(t, Local, verdict)
	s.wantTake(Pass, 1) // and the caller sees that the hub is lost
	_, ok := s.NextAsk(s.now)
	require.False(t, ok, "no storm of questions")

	s.Granted(s.now, ask, Grant{20, 100, 40, -1, 600, 250, 7}) // late
	s.wantTake(Local, 1)
	s.pass(200)
	verdict, answer := s.WithoutHub(s.now, 1, Deny, 8)
	require.Equal(t, Refused, verdict)
	require.Positive(t, answer.RetryAfter)

	admitted := 0
	for range 10_000 { // ten seconds of 1,000 requests a second
		if verdict, answer = s.WithoutHub(s.now, 1, Share, 8); verdict == Local {
			admitted++
		} else {
			require.Positive(t, answer.RetryAfter)
		}
		s.pass(1)
	}
	require.InDelta(t, 12+10*12, admitted, 6, "an eighth of 100 a second, and of the burst")
	verdict, answer = s.WithoutHub(s.now, 13, Share, 8)
	require.Equal(t, Refused, verdict)
	require.EqualValues(t, -1, answer.RetryAfter, "the share never has as many")
}

// TestFailed: a limit that cannot be leased passes, with exact replies.
func TestFailed(t *testing.T) {
	for _, end := range []func(*story, Ask){
		func(s *story, ask Ask) { s.Failed(s.now, ask) },
		func(s *story, ask Ask) { s.Granted(s.now, ask, Grant{0, 9, 1, -1, 0, 1000, 7}) }, // never has a unit
		func(s *story, ask Ask) { s.Granted(s.now, ask, Grant{0, 9, 1, 5, 5, 0, 7}) },     // too short
	} {
		s := newStory(t)
		s.wantTake(Wait, 1)
		ask, _ := s.NextAsk(s.now)
		end(s, ask)
		verdict, _ := s.Again(s.now, 1)
		require.Equal(t, Pass, verdict)
		s.pass(9999)
		s.wantTake(Pass, 1)
		s.warm()
		s.wantTake(Wait, 1)
	}
}

// TestShortLeases: a hot key whose leases are too short for four requests passes.
func TestShortLeases(t *testing.T) {
	s := newStory(t)
	s.wantTake(Wait, 1)
	s.lease(Grant{1, 50, 30, -1, 20, 12, 7})
	s.Again(s.now, 1)
	s.pass(200)
	s.wantTake(Pass, 1)
}

// TestBounds: an account holds four leases, and believes no more than it has asked for.
func TestBounds(t *testing.T) {
	s := newStory(t)
	for range 10 {
		s.held.nextAsk = 0
		s.held.waiting++
		s.lease(Grant{1, 100, 0, -1, 500, 250, 1})
		s.pass(1)
	}
	require.LessOrEqual(t, len(s.held.leases), mostLeases)
	s = newStory(t)
	s.wantTake(Wait, 1)
	ask := s.lease(Grant{1 << 60, 1 << 62, 1 << 62, -1, 1 << 62, 1 << 62, 1})
	require.Equal(t, ask.Want, s.left())
	s.pass(1000)
	s.expire(s.now)
	require.Zero(t, s.left())
}

// TestLargestQuantities: no quantity and no limit makes a number too large.
func TestLargestQuantities(t *testing.T) {
	s := newStory(t)
	s.wantTake(Pass, math.MaxInt64) // no lease has as many
	s.wantTake(Wait, mostWanted)
	s.wantTake(Pass, mostWanted)
	ask, ok := s.NextAsk(s.now)
	require.True(t, ok)
	require.EqualValues(t, mostWanted, ask.Want)
	s.Granted(s.now, ask, Grant{mostWanted, math.MaxInt64, math.MaxInt64, -1, math.MaxInt64, 250, 7})
	verdict, answer := s.Again(s.now, 1)
	require.Equal(t, Local, verdict)
	require.EqualValues(t, math.MaxInt64, answer.Remaining)
	s.wantTake(Pass, math.MaxInt64)
	_, answer = s.WithoutHub(s.now, math.MaxInt64, Share, 1)
	require.GreaterOrEqual(t, answer.Remaining, int64(0))
}

// TestTable: accounts of users are apart, and the table forgets what was not used for the longest time.
func TestTable(t *testing.T) {
	table := NewTable(Settings{Lease: 1000, Keys: 3})
	a := table.Account("a", []byte("k"))
	require.NotSame(t, a, table.Account("b", []byte("k")))
	require.Equal(t, []string{"a", "k"}, []string{a.User(), a.Command()})
	require.Same(t, a, table.Account("a", []byte("k")))
	table.Account("c", []byte("k"))
	table.Account("a", []byte("k"))
	table.Account("a", []byte("l"))
	require.Equal(t, 3, table.Len())
	require.Same(t, a, table.Account("a", []byte("k")))
	table.DropUser("a")
	require.Equal(t, 1, table.Len())
	require.NotSame(t, a, table.Account("a", []byte("k")))

	now := Time{1, 1}
	a.hold().asking = 5
	a.Granted(now, Ask{Want: 3, TTL: 1000, Departed: now, number: 5}, Grant{3, 9, 9, -1, 0, 1000, 1})
	require.Zero(t, a.left(), "a forgotten account gets nothing")
	require.False(t, table.Holds())

	for i := range 1000 {
		table.Account("a", fmt.Append(nil, i)).hold()
	}
	require.Equal(t, 3, table.Len())
	require.Len(t, table.holders, 3)
	table.Set(Settings{Lease: 1000, Keys: 1})
	require.Equal(t, 1, table.Len())
	require.Len(t, table.holders, 1)
}

// heapBytes returns how many bytes are alive.
func heapBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestMemory: 100,000 accounts that have a refusal take 30 MB at most, and with a lease each 40 MB.
func TestMemory(t *testing.T) {
	const keys = 100_000
	before := heapBytes()
	table := NewTable(Settings{Lease: 1000, Keys: keys})
	for i := range keys + 1000 {
		a := table.Account("default", fmt.Appendf(nil, "cl.throttle user:%07d 99 100 60", i))
		a.Take(Time{1, 1}, 1)
		a.Passed(Time{1, 1}, Time{1, 1}, 1, true, Answer{100, 0, 500, 60_000})
	}
	cold := heapBytes() - before
	for _, a := range table.accounts {
		a.hold().leases = append(a.held.leases, lease{units: Back{1, 1, 1}})
	}
	hot := heapBytes() - before
	t.Logf("cold %d MB, hot %d MB", cold>>20, hot>>20)
	require.Less(t, cold, int64(30<<20))
	require.Less(t, hot, int64(40<<20))
	runtime.KeepAlive(table)
}

func BenchmarkTake(b *testing.B) {
	table := NewTable(Settings{Lease: 1000, Keys: 1000})
	command := []byte("cl.throttle user:1 99 100 1")
	now := Time{1, 1}
	for b.Loop() {
		now.Boot++
		now.Wall++
		a := table.Account("default", command)
		if a.left() == 0 {
			a.receive(now, Ask{Departed: now}, Back{1_000_000, 1, 60_000})
		}
		if verdict, _ := a.Take(now, 1); verdict != Local {
			b.Fatal(verdict)
		}
		a.NextAsk(now)
	}
}

// TestCrossedAnswers: nobody knows the order of two answers whose questions were on their way together. No unit counts twice.
func TestCrossedAnswers(t *testing.T) {
	s := newStory(t)
	s.wantTake(Wait, 1)
	departed := s.now
	s.pass(1)
	s.lease(Grant{50, 100, 49, -1, 600, 250, 7}) // a request that passed before has taken one unit
	_, answer := s.Again(s.now, 1)
	require.EqualValues(t, 98, answer.Remaining)
	s.pass(1)
	s.Passed(s.now, departed, 1, false, Answer{100, 99, -1, 10})
	require.EqualValues(t, 97, s.wantTake(Local, 1).Remaining, "its answer comes later")

	for range 40 {
		s.wantTake(Local, 1)
	}
	ask, ok := s.NextAsk(s.now)
	require.True(t, ok)
	s.pass(1)
	s.Passed(s.now, s.now, 1, false, Answer{100, 8, -1, 920})
	s.pass(1)
	s.Granted(s.now, ask, Grant{14, 100, 9, -1, 910, 250, 8}) // the hub granted before it took one unit
	require.EqualValues(t, 8+8+14-1, s.wantTake(Local, 1).Remaining)
	s.pass(1)
	s.Passed(s.now, s.now, 1, false, Answer{100, 20, -1, 800})
	require.EqualValues(t, 20+8+14-2, s.wantTake(Local, 1).Remaining, "a later answer counts")
}

// TestForget: the units of a limit go, also those that the question brings that is on its way. Those of other keys stay.
func TestForget(t *testing.T) {
	for _, key := range []uint32{7, 8} {
		s := newStory(t)
		s.SetKey(7)
		s.lease(Grant{Units: 49, Limit: 100, Remaining: 50, RetryAfter: -1, Ends: 1000, At: 1})
		s.wantTake(Local, 30)
		s.pass(80)
		s.wantTake(Local, 1)
		s.pass(80)
		s.wantTake(Local, 1)
		ask, ok := s.NextAsk(s.now)
		require.True(t, ok)
		old := s.Account
		s.table.Forget(func(a *Account) bool { return a.Key() == key }, false)
		s.Account = s.table.Account(old.User(), []byte(old.Command()))
		old.Granted(s.now, ask, Grant{Units: 20, Limit: 100, RetryAfter: -1, Ends: 1000, At: 2})
		f := s.table.Figures
		require.Equal(t, int64(49+20), f.Leased)
		if key == 8 {
			require.Zero(t, f.Stranded)
			s.wantTake(Local, 17+20)
			continue
		}
		require.Equal(t, int64(17+20), f.Stranded)
		verdict, _ := old.Again(s.now, 1)
		require.Equal(t, Pass, verdict, "a request that has waited")
		require.False(t, s.table.Holds())
		s.wantTake(Pass, 1)
	}
}
