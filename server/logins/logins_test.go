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

func right() bool { return true }
func wrong() bool { return false }

func TestLimit(t *testing.T) {
	l, c := watch(3, 60, 10)
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	fails := func(addr netip.Addr, wait time.Duration) {
		t.Helper()
		ok, left := l.Try(addr, wrong)
		require.False(t, ok)
		require.Equal(t, wait, time.Duration(left))
	}
	for range 3 {
		fails(a, 0)
		ok, wait := l.Try(a, right)
		require.True(t, ok || wait > 0)
	}
	fails(a, 20*time.Second)
	ok, wait := l.Try(a, func() bool { t.Fatal("a limited attempt compared the password"); return true })
	require.False(t, ok)
	require.EqualValues(t, 20*time.Second, wait)
	fails(b, 0)
	c.now += int64(20 * time.Second)
	fails(a, 0)
	fails(a, 20*time.Second)
	c.now += int64(time.Hour)
	for range 3 {
		fails(a, 0)
	}
	fails(a, 20*time.Second)
	require.EqualValues(t, 8, l.Failed())
	require.EqualValues(t, 5, l.Limited())
	l.ResetCounts()
	require.Zero(t, l.Failed())

	for range 100 {
		fails(netip.Addr{}, 0) // the unix socket
	}
	l, _ = watch(0, 0, 10)
	for range 100 {
		fails(a, 0)
	}
}

func TestNetworksOfIPv6(t *testing.T) {
	l, _ := watch(1, 60, 10)
	for i, addr := range []string{"2001:db8::1", "2001:db8::2", "2001:db8:0:0:ffff::", "2001:db8:0:1::1", "::ffff:192.0.2.1", "192.0.2.1"} {
		_, wait := l.Try(netip.MustParseAddr(addr), wrong)
		require.Equal(t, i == 1 || i == 2 || i == 5, wait > 0, addr)
	}
}

func TestAddressesAreBounded(t *testing.T) {
	l, _ := watch(1, 60, 10)
	addr := netip.MustParseAddr("10.0.0.0")
	for range 5 * maxAddresses {
		l.Try(addr, wrong)
		addr = addr.Next()
		require.LessOrEqual(t, len(l.recent)+len(l.older), 2*maxAddresses)
	}
	_, wait := l.Try(addr.Prev(), wrong)
	require.Positive(t, wait)
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
