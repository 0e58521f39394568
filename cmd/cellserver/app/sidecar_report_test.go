package app

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// startReporter runs a sidecar that reports to a hub each 20 ms.
func startReporter(t testing.TB, hub string) *instance {
	t.Helper()
	return startSidecarOf(t, hub, "--upstream-mode", "report", "--upstream-interval", "20")
}

// infoOf returns a number of INFO sidecar.
func (in *instance) infoOf(t testing.TB, field string) (n int64) {
	t.Helper()
	_, after, found := strings.Cut("\r\n"+in.dial(t).Do("INFO", "sidecar").(string), "\r\n"+field+":")
	require.True(t, found, field)
	_, err := fmt.Sscan(after, &n)
	require.NoError(t, err)
	return n
}

// warm asks until the sidecar decides itself. It returns how often an action was allowed.
func warm(t testing.TB, side *instance, c *resptest.Client, command []any) (allowed int64) {
	t.Helper()
	before := side.infoOf(t, "charged")
	require.Eventually(t, func() bool {
		require.Positive(t, c.Do(command...).([]any)[2])
		allowed++
		return side.infoOf(t, "charged") > before
	}, timeout, 5*time.Millisecond)
	return allowed
}

// TestSidecarReports: no decision about a known limit waits for the hub, and the hub counts all of them, whatever the limiter.
func TestSidecarReports(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	ok(t, admin, "CL.RULE", "SET", "api", "CL.THROTTLE", 999, 1, 3600, "AND", "CL.WINDOW", 5000, 3600)
	side := startReporter(t, hub.Addr().String())
	c := side.dial(t)
	for _, command := range [][]any{
		{"CL.THROTTLE", "a", 999, 1, 3600}, {"GCRA", "b", 999, 1, 3600}, {"CL.WINDOW", "c", 1000, 0, "ALIGN", "month", "TZ", "Europe/Berlin"},
		{"CL.WINDOW", "d", 1000, 3600}, {"CL.SLIDING", "e", 1000, 3600}, {"CL.LOG", "f", 1000, 3600}, {"CL.CHECK", "api", "g"},
	} {
		allowed := warm(t, side, c, command)
		asked := hub.calls(t, strings.ToLower(command[0].(string)))
		for range 200 {
			answer := c.Do(command...).([]any)
			allowed++
			require.Equal(t, []any{int64(0), int64(1000), 1000 - allowed, int64(-1)}, answer[:4], command)
		}
		require.Less(t, hub.calls(t, strings.ToLower(command[0].(string)))-asked, 100, "charges only")
		look := append(append([]any{}, command...), "QUANTITY", 0)
		if command[0] == "GCRA" {
			look[len(look)-2] = "TOKENS"
		}
		require.Eventually(t, func() bool { return admin.Do(look...).([]any)[2] == 1000-allowed }, timeout, 5*time.Millisecond, command)
		require.Equal(t, 1000-allowed, c.Do(look...).([]any)[2], command)
	}
	allowed := warm(t, side, c, []any{"THROTTLE", "h", 100, 1, 3600})
	for allowed < 100 {
		require.Equal(t, int64(1), c.Do("THROTTLE", "h", 100, 1, 3600).([]any)[0])
		allowed++
	}
	refusal := c.Do("THROTTLE", "h", 100, 1, 3600).([]any)
	require.Equal(t, []any{int64(0), int64(100), int64(0)}, refusal[:3])
	require.InDelta(t, 3600, refusal[4], 60)
	require.Eventually(t, func() bool { return admin.Do("THROTTLE", "h", 100, 1, 3600).([]any)[0] == int64(0) }, timeout, time.Millisecond)

	before := hub.calls(t, "cl.log")
	for range 50 {
		c.Do("CL.LOG", "i", 1000, 3600, "RESOLUTION", 60)
	}
	require.Equal(t, 50, hub.calls(t, "cl.log")-before, "what cannot be charged passes")
	require.Equal(t, 0, hub.calls(t, "cl.lease"))
	require.Zero(t, side.infoOf(t, "uncharged"))
	require.Contains(t, c.Do("INFO", "sidecar"), "upstream_mode:report\r\n")
}

// TestSidecarsReportToOneHub: together they admit too much once, and it is paid back.
func TestSidecarsReportToOneHub(t *testing.T) {
	hub := start(t)
	command := []any{"CL.THROTTLE", "k", 99, 100, 3600}
	var allowed int64
	var clients []*resptest.Client
	for range 2 {
		side := startReporter(t, hub.Addr().String())
		c := side.dial(t)
		clients = append(clients, c)
		allowed += warm(t, side, c, command)
		ok(t, c, "CONFIG", "SET", "upstream-interval", 1000) // so all is spent before a report
	}
	for _, c := range clients {
		for c.Do(command...).([]any)[0] == int64(0) {
			allowed++
		}
	}
	require.LessOrEqual(t, allowed, int64(200))
	admin := hub.dial(t)
	require.Eventually(t, func() bool {
		return admin.Do("CL.CHARGE", "k", 99, 100, 3600, 0).([]any)[2].(int64) <= 100-allowed+1
	}, timeout, 10*time.Millisecond)
	require.Equal(t, int64(1), admin.Do(command...).([]any)[0])
}

// TestSidecarReportsLater: without the hub a known limit is decided, and the hub is told when it answers again. An unknown one
// needs the hub. In the mode exact the sidecar still tells what it owes.
func TestSidecarReportsLater(t *testing.T) {
	hub := start(t)
	proxy := newCut(t, hub.Addr().String())
	side := startReporter(t, proxy.Addr().String())
	c, admin := side.dial(t), hub.dial(t)
	command := []any{"CL.THROTTLE", "k", 999, 1, 3600}
	allowed := warm(t, side, c, command)
	proxy.cut(true)
	for range 300 {
		require.Equal(t, int64(0), c.Do(command...).([]any)[0])
		allowed++
	}
	require.Contains(t, c.Do("CL.THROTTLE", "unknown", 15, 30, 60), resptest.Error("NOHUB the hub"))
	proxy.cut(false)
	require.Eventually(t, func() bool { return c.Do("CONFIG", "SET", "upstream-mode", "exact") == resptest.Simple("OK") }, timeout, time.Millisecond)
	remaining := func() int64 { return admin.Do("CL.THROTTLE", "k", 999, 1, 3600, 0).([]any)[2].(int64) }
	require.Eventually(t, func() bool { return remaining() <= 1000-allowed }, timeout, 5*time.Millisecond)
	require.Eventually(t, func() bool { // once it has given back a lease
		return remaining() >= 1000-allowed-side.infoOf(t, "recharged")
	}, timeout, 5*time.Millisecond, "what was repeated counts twice at most")
	require.Equal(t, []any{"upstream-mode", "exact"}, c.Do("CONFIG", "GET", "upstream-mode"))
}

// TestSidecarReportsAsTheUser: the hub decides who may charge. Who may not gets the decisions of the hub. A client that leaves
// at once is charged, too.
func TestSidecarReportsAsTheUser(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	ok(t, admin, "ACL", "SETUSER", "ann", "on", ">a", "~a:*", "+@connection", "+cl.throttle", "+cl.charge")
	ok(t, admin, "ACL", "SETUSER", "bob", "on", ">b", "~*", "+@all", "-cl.charge")
	side := startReporter(t, hub.Addr().String())
	ann, bob := side.dial(t), side.dial(t)
	ok(t, ann, "AUTH", "ann", "a")
	ok(t, bob, "AUTH", "bob", "b")
	for i := range int64(40) {
		require.Equal(t, 99-i, bob.Do("CL.THROTTLE", "a:k", 99, 1, 3600).([]any)[2])
		time.Sleep(time.Millisecond)
	}
	require.Equal(t, 40, hub.calls(t, "cl.throttle"), "all pass")
	require.Zero(t, side.infoOf(t, "spent"))
	require.Contains(t, ann.Do("CL.THROTTLE", "b:k", 99, 1, 3600), resptest.Error("NOPERM"))
	allowed := 40 + warm(t, side, ann, []any{"CL.THROTTLE", "a:k", 99, 1, 3600})
	ann.Close()
	for range 20 { // clients of one request each
		one := side.dial(t)
		one.Write(append(resptest.Command("AUTH", "ann", "a"), resptest.Command("CL.THROTTLE", "a:k", 99, 1, 3600)...))
		require.Equal(t, resptest.Simple("OK"), one.Recv())
		require.Equal(t, int64(0), one.Recv().([]any)[0])
		allowed++
		one.Close()
	}
	require.Eventually(t, func() bool {
		return admin.Do("CL.THROTTLE", "a:k", 99, 1, 3600, 0).([]any)[2] == 100-allowed
	}, timeout, 5*time.Millisecond)
}

// TestSidecarNamesTheRight: the log says once which right a user lacks, so that the hub decides each request. A key that is not
// the user's says nothing about rights.
func TestSidecarNamesTheRight(t *testing.T) {
	for _, test := range []struct{ mode, command, right string }{
		{"exact", "CL.THROTTLE a:k 999999 1 3600", "+cl.lease"},
		{"report", "CL.THROTTLE a:k 999999 1 3600", "+cl.charge"},
		{"report", "CL.SLIDING a:k 999999 3600", "+cl.mwindow"},
	} {
		hub := start(t)
		ok(t, hub.dial(t), "ACL", "SETUSER", "ann", "on", ">a", "~a:*", "+@connection", "+cl.throttle", "+cl.sliding")
		side := startSidecarOf(t, hub.Addr().String(), "--upstream-mode", test.mode)
		ann := side.dial(t)
		ok(t, ann, "AUTH", "ann", "a")
		require.Contains(t, ann.Do("CL.THROTTLE", "b:k", 9, 1, 3600), resptest.Error("NOPERM"))
		require.Eventually(t, func() bool {
			require.Equal(t, int64(0), ann.Do(fields(test.command)...).([]any)[0])
			return strings.Contains(side.log.String(), "and "+test.right+`" user=ann`)
		}, timeout, 5*time.Millisecond)
		require.Equal(t, 1, strings.Count(side.log.String(), "ACL SETUSER"))
	}
}

// TestSidecarChargesAfterARefusal: a command that the hub refuses to a user says nothing about its other limits. Their debts are
// charged all the same.
func TestSidecarChargesAfterARefusal(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	ok(t, admin, "ACL", "SETUSER", "ann", "on", ">a", "~a:*", "+@connection", "+cl.throttle", "+cl.charge")
	side := startSidecarOf(t, hub.Addr().String(), "--upstream-mode", "report", "--upstream-interval", "400")
	ann := side.dial(t)
	ok(t, ann, "AUTH", "ann", "a")
	command := []any{"CL.THROTTLE", "a:k", 999, 1, 3600}
	allowed := warm(t, side, ann, command)
	for range 100 {
		require.Equal(t, int64(0), ann.Do(command...).([]any)[0])
		allowed++
	}
	require.Contains(t, ann.Do("CL.THROTTLE", "b:k", 99, 1, 3600), resptest.Error("NOPERM"))
	require.Eventually(t, func() bool {
		return admin.Do("CL.THROTTLE", "a:k", 999, 1, 3600, 0).([]any)[2] == 1000-allowed
	}, timeout, 5*time.Millisecond)
	require.Zero(t, side.infoOf(t, "uncharged"))
}

// TestSidecarSettlesUp: a sidecar that ends gracefully charges its last interval, and gives back what its leases have left.
func TestSidecarSettlesUp(t *testing.T) {
	for mode, interval := range map[string]string{"report": "10000", "exact": "100", "exact of ann": "100"} {
		hub := start(t)
		ok(t, hub.dial(t), "ACL", "SETUSER", "ann", "on", ">a", "~*", "+@all")
		mode, ann, isAnn := strings.Cut(mode, " of ")
		// The longest lease: units of one that ends while the machine stands still do not come back.
		side := startSidecar(t, hub, "--upstream-mode", mode, "--upstream-interval", interval, "--upstream-lease", "60000")
		c, allowed := side.dial(t), int64(0)
		if isAnn {
			ok(t, c, "AUTH", ann, "a")
		}
		for side.infoOf(t, "spent") < 40 {
			require.Equal(t, int64(0), c.Do("CL.WINDOW", "k", 5000, 3600).([]any)[0])
			allowed++
		}
		side.stop()
		side.wait(t)
		require.Equal(t, 5000-allowed, hub.dial(t).Do("CL.WINDOW", "k", 5000, 3600, "QUANTITY", 0).([]any)[2], mode+ann)
	}
}

// TestSidecarReportsAboutThoseWhoLeft: the hub counts the requests of a user whose last client left while the hub was away,
// however long.
func TestSidecarReportsAboutThoseWhoLeft(t *testing.T) {
	hub := start(t)
	ok(t, hub.dial(t), "ACL", "SETUSER", "ann", "on", ">a", "~*", "+@all")
	proxy := newCut(t, hub.Addr().String())
	side := startReporter(t, proxy.Addr().String())
	ann, command := side.dial(t), []any{"CL.WINDOW", "k", 1000, 3600}
	require.Eventually(t, func() bool { return ann.Do("AUTH", "ann", "a") == resptest.Simple("OK") }, timeout, time.Millisecond)
	allowed := warm(t, side, ann, command)
	ok(t, ann, "CONFIG", "SET", "upstream-timeout", 100) // so the user stays briefly
	proxy.cut(true)
	require.Equal(t, int64(0), ann.Do(command...).([]any)[0])
	ann.Close()
	const long = time.Second // for a user that nothing keeps
	left := time.Now()
	require.Eventually(t, func() bool { return !side.peers.sidecar.Hub().Up() && time.Since(left) > long }, timeout, time.Millisecond)
	proxy.cut(false)
	require.Eventually(t, func() bool {
		return hub.dial(t).Do("CL.WINDOW", "k", 1000, 3600, "QUANTITY", 0).([]any)[2].(int64) < 1000-allowed
	}, timeout, 5*time.Millisecond)
	require.Eventually(t, func() bool { return !strings.Contains(hub.dial(t).Do("CLIENT", "LIST").(string), " user=ann ") },
		timeout, 5*time.Millisecond, "then the user leaves, too")
}

// TestSidecarsReportToANewHub: a hub that restarts has the charges from before, and gets those from meanwhile.
func TestSidecarsReportToANewHub(t *testing.T) {
	options := []string{"--dir", t.TempDir(), "--port", strconv.Itoa(porttest.Free(t)), "--appendonly", "yes"}
	hub := start(t, options...)
	address := hub.Addr().String()
	sides, allowed := []*instance{startReporter(t, address), startReporter(t, address)}, int64(0)
	command := []any{"CL.WINDOW", "k", 1000, 3600}
	ask := func(side *instance, n int) {
		for c := side.dial(t); n > 0; n-- {
			require.Equal(t, int64(0), c.Do(command...).([]any)[0])
			allowed++
		}
	}
	for _, side := range sides {
		allowed += warm(t, side, side.dial(t), command)
		ask(side, 100)
	}
	hub.stop()
	hub.wait(t)
	for _, side := range sides {
		ask(side, 100)
	}
	hub = start(t, options...)
	for _, side := range sides {
		ask(side, 100)
	}
	var repeated int64
	for _, side := range sides {
		require.Eventually(t, func() bool {
			f, _ := side.peers.sidecar.Figures()
			return f.Charged >= f.Spent
		}, timeout, 5*time.Millisecond)
		repeated += side.infoOf(t, "recharged")
	}
	left := hub.dial(t).Do(append(command, "QUANTITY", 0)...).([]any)[2].(int64)
	require.LessOrEqual(t, left, 1000-allowed)
	require.GreaterOrEqual(t, left, 1000-allowed-repeated)
}
