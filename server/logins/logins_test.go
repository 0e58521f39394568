package logins

import (
	"fmt"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/config"

	"github.com/stretchr/testify/require"
)

// clock has only a monotonic time.
type clock struct {
	commands.Clock
	now int64
}

// Monotonic implements [commands.Clock].
func (c *clock) Monotonic() int64 { return c.now }

func watch(count, seconds, maxLen int64) (*Logins, *clock) {
	cfg := &config.Config{AuthFailLimit: config.FailLimit{Count: count, Seconds: seconds}, ACLLogMaxLen: maxLen}
	c := &clock{now: 5}
	return New(func() *config.Config { return cfg }, c, slog.New(slog.DiscardHandler)), c
}

// guesser makes attempts. Each wrong password is another one, unless it has a name.
type guesser struct {
	*Logins
	t *testing.T
	n int
}

// try makes an attempt with a password. Only "right" is right.
func (g *guesser) try(addr netip.Addr, password string) (ok bool, wait time.Duration) {
	ok, left := g.Try(addr, []byte("user"), []byte(password), func() bool { return password == "right" })
	return ok, time.Duration(left)
}

// fails makes attempts with new wrong passwords, and requires their wait.
func (g *guesser) fails(n int, addr netip.Addr, wait time.Duration) {
	g.t.Helper()
	for range n {
		g.n++
		ok, left := g.try(addr, fmt.Sprint("wrong", g.n))
		require.False(g.t, ok)
		require.Equal(g.t, wait, left)
	}
}

var hostA, hostB = netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")

func TestLimit(t *testing.T) {
	l, c := watch(3, 60, 10)
	g := &guesser{Logins: l, t: t}
	g.fails(3, hostA, 0)
	g.fails(1, hostA, 20*time.Second)
	ok, wait := g.try(hostA, "right")
	require.False(t, ok, "the address has never had the right password, so this is a guess")
	require.Equal(t, 20*time.Second, wait)
	g.fails(1, hostB, 0)
	c.now += int64(20 * time.Second)
	g.fails(1, hostA, 0)
	g.fails(1, hostA, 20*time.Second)
	c.now += int64(time.Hour)
	g.fails(3, hostA, 0)
	g.fails(1, hostA, 20*time.Second)
	require.EqualValues(t, 8, l.Failed())
	require.EqualValues(t, 4, l.Limited())
	l.ResetCounts()
	require.Zero(t, l.Failed())
	g.fails(100, netip.Addr{}, 0) // the unix socket
	l, _ = watch(0, 0, 10)
	(&guesser{Logins: l, t: t}).fails(100, hostA, 0)
}

// TestTheOwnerIsNotLockedOut: a password that was right passes while the guesses of its address are refused.
func TestTheOwnerIsNotLockedOut(t *testing.T) {
	l, c := watch(3, 60, 10)
	g := &guesser{Logins: l, t: t}
	passes := func(addr netip.Addr) {
		t.Helper()
		ok, wait := g.try(addr, "right")
		require.True(t, ok)
		require.Zero(t, wait)
	}
	passes(hostA)
	for range 1000 { // a client that keeps an old password
		ok, wait := g.try(hostA, "old")
		require.False(t, ok)
		require.Zero(t, wait, "the same wrong password again is no guess")
		passes(hostA)
	}
	g.fails(2, hostA, 0)
	g.fails(5000, hostA, 20*time.Second)
	passes(hostA)
	ok, wait := g.try(hostA, "old")
	require.False(t, ok)
	require.Zero(t, wait)
	ok, _ = g.try(hostB, "right")
	require.True(t, ok)
	require.EqualValues(t, 1003, l.Failed())
	require.EqualValues(t, 5000, l.Limited())

	// Another user with the same password is another guess.
	ok, left := l.Try(hostA, []byte("other"), []byte("right"), func() bool { return true })
	require.False(t, ok)
	require.Positive(t, left)

	// The password has changed: the old one is wrong, and its attempts still count nothing.
	changed := func() bool { return false }
	for range 100 {
		ok, left := l.Try(hostA, []byte("user"), []byte("right"), changed)
		require.False(t, ok)
		require.Zero(t, left)
	}
	c.now += int64(20 * time.Second)
	g.fails(1, hostA, 0)
}

// TestGuessesForgetNoOwner: an address keeps its right credentials, however many addresses guess.
func TestGuessesForgetNoOwner(t *testing.T) {
	l, _ := watch(1, 60, 10)
	g := &guesser{Logins: l, t: t}
	ok, _ := g.try(hostA, "right")
	require.True(t, ok)
	addr := netip.MustParseAddr("10.0.0.0")
	for range 5 * maxAddresses {
		g.try(addr, "wrong")
		addr = addr.Next()
		require.LessOrEqual(t, l.guesses.len(), 2*maxAddresses)
	}
	g.fails(1, addr.Prev(), time.Minute)
	g.fails(1, hostA, 0)
	g.fails(1, hostA, time.Minute)
	ok, _ = g.try(hostA, "right")
	require.True(t, ok)
	for range 5 * maxAddresses {
		g.try(addr, "right")
		addr = addr.Next()
		require.LessOrEqual(t, l.right.len(), 2*maxAddresses)
	}
}

// TestCredentialsOfAnAddressAreBounded: the newest ones stay.
func TestCredentialsOfAnAddressAreBounded(t *testing.T) {
	var all tags
	for tag := range uint64(100) {
		all.add(tag + 1)
		require.True(t, all.has(tag+1))
		require.Equal(t, tag < 16, all.has(1))
	}
	require.False(t, (*tags)(nil).has(1))
}

func TestNetworksOfIPv6(t *testing.T) {
	l, _ := watch(1, 60, 10)
	g := &guesser{Logins: l, t: t}
	for i, addr := range []string{"2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::", "2001:db8:0:1::1", "::ffff:192.0.2.1", "192.0.2.1"} {
		wait := time.Duration(0)
		if i == 1 || i == 2 || i == 5 {
			wait = time.Minute
		}
		g.fails(1, netip.MustParseAddr(addr), wait)
	}
}

func TestLog(t *testing.T) {
	l, _ := watch(0, 0, 5)
	note := func(user string, at int64) { l.Note(commands.Denial{User: user, Object: "AUTH", At: at * 1e9}) }
	note("a", 0)
	note("b", 10)
	note("a", 60)
	require.Equal(t, []commands.Denial{{Count: 2, User: "a", Object: "AUTH", At: 60e9}, {Count: 1, User: "b", Object: "AUTH", At: 10e9}}, l.Denials(10))
	note("b", 71)
	require.Len(t, l.Denials(10), 3, "61 seconds later it is a new entry")
	require.Len(t, l.Denials(1), 1)
	require.Empty(t, l.Denials(-1))
	for i := range 20 {
		note(fmt.Sprint(i), 100)
	}
	require.Len(t, l.Denials(100), 5)
	require.Equal(t, "19", l.Denials(1)[0].User)
	l.Note(commands.Denial{User: string(make([]byte, 1<<20)), Client: string(make([]byte, 1<<20))})
	require.Len(t, l.Denials(1)[0].User, maxText)
	l.Forget()
	require.Empty(t, l.Denials(10))
}

// TestBegin: guesses count while another server compares them. One that nobody has compared does not count.
func TestBegin(t *testing.T) {
	l, _ := watch(3, 60, 10)
	begin := func(password string) (func(commands.Outcome), int64) {
		return l.Begin(hostA, []byte("user"), []byte(password))
	}
	var ends []func(commands.Outcome)
	for i := range 3 {
		end, wait := begin(fmt.Sprint(i))
		require.Zero(t, wait)
		ends = append(ends, end)
	}
	_, wait := begin("3")
	require.Equal(t, 20*time.Second, time.Duration(wait), "three are under way")
	_, wait = begin("2")
	require.Zero(t, wait, "the same one again")
	ends[0](commands.Wrong)
	ends[1](commands.Unknown)
	ends[2](commands.Right)
	require.EqualValues(t, 1, l.Failed())
	for _, free := range []string{"0", "2", "4", "1"} {
		_, wait = begin(free)
		require.Zero(t, wait, free)
	}
	_, wait = begin("5")
	require.NotZero(t, wait, "one was wrong, and two are under way")
}

func (g *generations[T]) len() int { return len(g.recent) + len(g.older) }
