package app

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/internal/certtest"
	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// startSidecar runs a sidecar of a hub.
func startSidecar(t testing.TB, hub *instance, directives ...string) *instance {
	t.Helper()
	return startSidecarOf(t, hub.Addr().String(), directives...)
}

// startSidecarOf runs a sidecar of a hub at addresses. It waits for the hub as long as a busy machine needs.
func startSidecarOf(t testing.TB, hub string, directives ...string) *instance {
	t.Helper()
	return start(t, append([]string{"--upstream", hub, "--upstream-timeout", "60000"}, directives...)...)
}

// calls returns how often the hub has run a command.
func (in *instance) calls(t testing.TB, command string) int {
	t.Helper()
	_, after, _ := strings.Cut(in.dial(t).Do("INFO", "commandstats").(string), "cmdstat_"+command+":calls=")
	digits, _, _ := strings.Cut(after, ",")
	n, _ := strconv.Atoi(digits)
	return n
}

// TestSidecarLeasesHotKeys: the limit holds exactly, and few of the decisions reach the hub.
func TestSidecarLeasesHotKeys(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	c, allowed, limited := side.dial(t), 0, 0
	require.Equal(t, []any{int64(0), int64(1000), int64(999), int64(-1), int64(3600)}, c.Do("CL.THROTTLE", "k", 999, 1, 3600))
	for hub.calls(t, "cl.lease") == 0 {
		require.Equal(t, int64(0), c.Do("CL.THROTTLE", "k", 999, 1, 3600).([]any)[0])
		allowed++
	}
	for range 3000 {
		if c.Do("CL.THROTTLE", "k", 999, 1, 3600).([]any)[0] == int64(0) {
			allowed++
		} else {
			limited++
		}
	}
	require.LessOrEqual(t, allowed+1, 1000)
	require.Greater(t, limited, 1000)
	require.Less(t, hub.calls(t, "cl.throttle")+hub.calls(t, "cl.lease"), allowed+limited/2)
}

// TestSidecarHasItsOwnClients: the ids of clients are those of the sidecar. A client that ends another one, or itself, ends no
// stranger at the hub.
func TestSidecarHasItsOwnClients(t *testing.T) {
	hub := start(t)
	admin := hub.dial(t)
	for range 5 { // strangers have the ids of our clients
		hub.dial(t).Do("PING")
	}
	side := startSidecar(t, hub)
	c, other := side.dial(t), side.dial(t)
	ok(t, other, "CLIENT", "SETNAME", "other")
	id := other.Do("CLIENT", "ID").(int64)
	list := c.Do("CLIENT", "LIST", "ID", id).(string)
	require.Contains(t, list, " name=other ")
	require.Contains(t, list, " user=default ")
	before := strings.Count(admin.Do("CLIENT", "LIST").(string), "\n")
	require.Equal(t, int64(1), c.Do("CLIENT", "KILL", "ID", id))
	requireClosed(t, other)
	require.Equal(t, int64(0), c.Do("CLIENT", "UNBLOCK", id))
	require.Equal(t, before, strings.Count(admin.Do("CLIENT", "LIST").(string), "\n"))

	ok(t, admin, "ACL", "SETUSER", "default", "-client|kill")
	require.Contains(t, c.Do("CLIENT", "KILL", "ID", c.Do("CLIENT", "ID")), resptest.Error("NOPERM"))
}

// TestSidecarKeepsTheOrder sends commands that take different ways in one write: the replies come in their order.
func TestSidecarKeepsTheOrder(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	c := side.dial(t)
	const rounds = 400 // far more than one client may have waiting
	go func() {
		for i := range rounds {
			c.Write(resptest.Command("SET", "n", i))
			c.Write(resptest.Command("CL.THROTTLE", "hot", 1000000, 1000000, 60))
			c.Write(resptest.Command("PING", i))
			c.Write(resptest.Command("CL.WINDOW", fmt.Sprint("cold", i), 5, 60))
			c.Write(resptest.Command("GET", "n"))
			c.Write(resptest.Command("NOSUCH"))
			c.Write(resptest.Command("CL.THROTTLE", "hot", "x", 1, 60))
		}
	}()
	for i := range rounds {
		require.Equal(t, resptest.Simple("OK"), c.Recv())
		require.Equal(t, int64(1000001), c.Recv().([]any)[1])
		require.Equal(t, strconv.Itoa(i), c.Recv())
		require.Equal(t, []any{int64(0), int64(5), int64(4), int64(-1), int64(60)}, c.Recv())
		require.Equal(t, strconv.Itoa(i), c.Recv())
		require.Contains(t, c.Recv(), resptest.Error("ERR unknown command 'NOSUCH'"))
		require.Equal(t, resptest.Error("Cell error: Store error: Couldn't parse as integer: x"), c.Recv())
	}
}

// TestSidecarKeepsTheOrderOfEffects: the hub runs commands that take different ways in their order, with each
// protocol. So a limiter finds the string that the client has set before.
func TestSidecarKeepsTheOrderOfEffects(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	for _, proto := range []int{0, 2, 3} {
		c := side.dial(t)
		if proto > 0 {
			c.Do("HELLO", proto)
		}
		const rounds = 300
		for i := range rounds {
			key := fmt.Sprint(proto, "-", i)
			c.Write(append(resptest.Command("SET", key, "text"), resptest.Command("CL.THROTTLE", key, 5, 1, 60)...))
		}
		for i := range rounds {
			require.Equal(t, resptest.Simple("OK"), c.Recv())
			require.IsType(t, resptest.Error(""), c.Recv(), "protocol %d, round %d", proto, i)
		}
	}
}

// TestSidecarRelaysState: a client with state of its own at the hub has a connection of its own.
func TestSidecarRelaysState(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	c, other := side.dial(t), side.dial(t)
	ok(t, c, "SET", "n", 1)
	ok(t, c, "WATCH", "n")
	ok(t, other, "SET", "n", 2)
	ok(t, c, "MULTI")
	require.Equal(t, resptest.Simple("QUEUED"), c.Do("INCR", "n"))
	require.Equal(t, resptest.NilArray, c.Do("EXEC"))
	ok(t, c, "SELECT", 3)
	ok(t, c, "SET", "n", 3)
	require.Equal(t, "2", other.Do("GET", "n"))
	require.Equal(t, int64(6), other.Do("EVAL", "return redis.call('INCRBY', KEYS[1], 4)", 1, "n"))

	sub := side.dial(t)
	require.Equal(t, []any{"subscribe", "ch", int64(1)}, sub.Do("SUBSCRIBE", "ch"))
	require.Equal(t, int64(1), other.Do("PUBLISH", "ch", "hello"))
	require.Equal(t, []any{"message", "ch", "hello"}, sub.Recv())

	ok(t, side.dial(t), "CONFIG", "SET", "timeout", 60)
	side.peers.patrol(side.clock.Monotonic() + int64(time.Hour))
	require.Equal(t, int64(1), hub.dial(t).Do("PUBLISH", "ch", "again"))
	require.Equal(t, []any{"message", "ch", "again"}, sub.Recv())

	three := side.dial(t)
	three.Do("HELLO", 3)
	three.Do("HSET", "h", "f", "v")
	require.Equal(t, resptest.Map{{Key: "f", Value: "v"}}, three.Do("HGETALL", "h"))
	require.Equal(t, resptest.Simple("OK"), three.Do("QUIT"))
	requireClosed(t, three)
}

// TestASidecarAsksOnceAboutARight: a command that moves to a goroutine of its own runs again. It asked again, too.
func TestASidecarAsksOnceAboutARight(t *testing.T) {
	hub := start(t)
	c := startSidecar(t, hub).dial(t)
	for name, words := range map[string][]any{
		"config|set": {"CONFIG", "SET", "upstream-lost", "allow"}, "config|get": {"CONFIG", "GET", "upstream-lost"},
		"client|list": {"CLIENT", "LIST"}, "client|kill": {"CLIENT", "KILL", "ID", 99999},
	} {
		before := callsOf(t, hub, name)
		c.Do(words...)
		require.Equal(t, before+1, callsOf(t, hub, name), name)
	}
}

// callsOf returns how often a server has run a command.
func callsOf(t *testing.T, in *instance, name string) (calls int) {
	_, after, _ := strings.Cut(in.dial(t).Do("INFO", "commandstats").(string), "cmdstat_"+name+":calls=")
	fmt.Sscanf(after, "%d,", &calls)
	return calls
}

// TestSidecarUsers: the hub decides who a client is, and what it may do. Nobody spends what another user has.
func TestSidecarUsers(t *testing.T) {
	hub := start(t, "--requirepass", "secret")
	admin := hub.dial(t)
	ok(t, admin, "AUTH", "secret")
	ok(t, admin, "ACL", "SETUSER", "ann", "on", ">a", "~a:*", "+@all")
	ok(t, admin, "ACL", "SETUSER", "bob", "on", ">b", "~b:*", "+@all")
	side := startSidecar(t, hub)
	guest, ann, bob := side.dial(t), side.dial(t), side.dial(t)
	require.Contains(t, guest.Do("GET", "x"), resptest.Error("NOAUTH"))
	require.Eventually(t, func() bool { _, refused := guest.Do("PING").(resptest.Error); return refused }, timeout, time.Millisecond)
	stranger := hub.dial(t)
	for _, hello := range []string{"HELLO", "HELLO 3", "HELLO 2 SETNAME x", "HELLO 9", "HELLO x", "HELLO 3 FOO", "HELLO 3 SETNAME",
		"HELLO 3 AUTH ann", "HELLO 3 FOO x AUTH ann a", "HELLO 9 AUTH ann a", "HELLO 3 AUTH ann b", "HELLO 3 AUTH ann a AUTH ann b",
		"HELLO 3 SETNAME é", "HELLO 3 AUTH ann a SETNAME é"} {
		var words []any
		for word := range strings.FieldsSeq(hello) {
			words = append(words, word)
		}
		require.Equal(t, stranger.Do(words...), guest.Do(words...), "a sidecar checks the words of %q in the order of its hub", hello)
	}
	require.Contains(t, guest.Do("HELLO", 3), resptest.Error("NOAUTH HELLO"), "no error logs a client in")
	require.Contains(t, ann.Do("AUTH", "ann", "b"), resptest.Error("WRONGPASS"))
	ok(t, ann, "AUTH", "ann", "a")
	require.IsType(t, []any{}, bob.Do("HELLO", 2, "AUTH", "bob", "b", "SETNAME", "bobby"))
	require.Equal(t, "bobby", bob.Do("CLIENT", "GETNAME"))
	require.Equal(t, "ann", ann.Do("ACL", "WHOAMI"))
	for range 2000 { // hot, and then leased
		require.Equal(t, int64(0), ann.Do("CL.THROTTLE", "a:k", 1000000, 1, 60).([]any)[0])
	}
	ok(t, admin, "ACL", "SETUSER", "bob", "-config|set", "-info")
	require.Contains(t, bob.Do("CONFIG", "SET", "upstream-lost", "allow"), resptest.Error("NOPERM"))
	require.Contains(t, bob.Do("INFO"), resptest.Error("NOPERM"))
	require.Equal(t, []any{"upstream-lost", "deny"}, bob.Do("CONFIG", "GET", "upstream-lost"))
	ok(t, ann, "CONFIG", "SET", "upstream-lost", "local")
	require.Contains(t, bob.Do("CL.THROTTLE", "a:k", 1000000, 1, 60), resptest.Error("NOPERM"))
	boss := side.dial(t)
	ok(t, boss, "AUTH", "secret")
	for range 2000 {
		require.Equal(t, int64(0), boss.Do("CL.THROTTLE", "d:k", 1000000, 1, 60).([]any)[0])
	}
	require.Contains(t, guest.Do("CL.THROTTLE", "d:k", 1000000, 1, 60), resptest.Error("NOAUTH"))
	require.Contains(t, guest.Do("CL.THROTTLE", "a:k", 1000000, 1, 60), resptest.Error("NOAUTH"))

	require.Equal(t, int64(1), admin.Do("ACL", "DELUSER", "ann"))
	require.Eventually(t, func() bool {
		_, refused := ann.Do("CL.THROTTLE", "a:k", 1000000, 1, 60).(resptest.Error)
		return refused
	}, timeout, 10*time.Millisecond)
	require.Contains(t, side.dial(t).Do("AUTH", "ann", "a"), resptest.Error("WRONGPASS"))
	require.NotContains(t, side.log.String(), "secret")
}

// TestSidecarWithoutHub: what no lease covers is refused, or allowed, as upstream-lost says.
func TestSidecarWithoutHub(t *testing.T) {
	hub := start(t)
	proxy := newCut(t, hub.Addr().String())
	side := startSidecarOf(t, proxy.Addr().String())
	c := side.dial(t)
	require.Equal(t, int64(0), c.Do("CL.THROTTLE", "k", 15, 30, 60).([]any)[0])
	ok(t, c, "SET", "a", 1)
	ok(t, c, "CONFIG", "SET", "upstream-lost", "deny")
	proxy.cut(true)
	require.Eventually(t, func() bool { return c.Do("CL.THROTTLE", "k", 15, 30, 60).([]any)[0] == int64(1) }, timeout, time.Millisecond)
	require.Contains(t, c.Do("CL.THROTTLE", "unknown", 15, 30, 60), resptest.Error("NOHUB the hub"))
	require.Contains(t, c.Do("GET", "a"), resptest.Error("NOHUB the hub does not answer"))
	require.Equal(t, resptest.Simple("PONG"), c.Do("PING"))
	require.Eventually(t, func() bool { return strings.Contains(side.log.String(), "the hub does not answer") }, timeout, time.Millisecond)
	ok(t, c, "CONFIG", "SET", "upstream-lost", "allow")
	require.Equal(t, int64(0), c.Do("CL.THROTTLE", "unknown", 15, 30, 60).([]any)[0])
	ok(t, c, "CONFIG", "SET", "upstream-lost", "deny")
	proxy.cut(false)
	require.Eventually(t, func() bool { return c.Do("GET", "a") == "1" }, timeout, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		answer, is := c.Do("CL.THROTTLE", "unknown", 15, 30, 60).([]any)
		return is && answer[0] == int64(0)
	}, timeout, 10*time.Millisecond)
	require.Eventually(t, func() bool { return strings.Contains(side.log.String(), "the hub answers again") }, timeout, time.Millisecond)
	require.Equal(t, 1, strings.Count(side.log.String(), "the hub does not answer"))
}

// TestSidecarBeforeItsHub: a decision waits for the first answer of the hub, for upstream-timeout at most.
func TestSidecarBeforeItsHub(t *testing.T) {
	hub := start(t)
	proxy := newCut(t, hub.Addr().String())
	proxy.cut(true)
	side := startSidecarOf(t, proxy.Addr().String())
	var all []*resptest.Client
	for i := range 40 { // some of them are those of hot keys
		c := side.dial(t)
		c.Write(resptest.Command("CL.THROTTLE", "k", 100, 30, 60))
		c.Write(resptest.Command("CL.THROTTLE", i, 15, 30, 60))
		all = append(all, c)
	}
	require.Eventually(t, func() bool { return strings.Contains(side.log.String(), "the hub does not answer") }, timeout, time.Millisecond)
	proxy.cut(false)
	for _, c := range all {
		require.Equal(t, int64(0), c.Recv().([]any)[0])
		require.Equal(t, []any{int64(0), int64(16), int64(15), int64(-1), int64(2)}, c.Recv())
	}
	late := start(t, "--upstream", "127.0.0.1:"+strconv.Itoa(porttest.Free(t)), "--upstream-timeout", "1")
	require.Contains(t, late.dial(t).Do("CL.THROTTLE", "k", 15, 30, 60), resptest.Error("NOHUB the hub"))
}

// cutter relays to an address until it is cut.
type cutter struct {
	net.Listener
	off   chan bool
	done  chan struct{} // off has its effect
	conns chan net.Conn
}

func newCut(t *testing.T, to string) *cutter {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { ln.Close() })
	c := &cutter{ln, make(chan bool), make(chan struct{}), make(chan net.Conn)}
	go c.run(to)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				close(c.conns)
				return
			}
			c.conns <- conn
		}
	}()
	return c
}

func (c *cutter) run(to string) {
	var open []net.Conn
	off := false
	for {
		select {
		case off = <-c.off:
			for _, conn := range open {
				conn.Close()
			}
			open = nil
			c.done <- struct{}{}
		case conn, more := <-c.conns:
			if !more {
				return
			}
			server, err := net.Dial("tcp", to)
			if off || err != nil {
				conn.Close()
				continue
			}
			open = append(open, conn, server)
			go pipe(conn, server)
			go pipe(server, conn)
		}
	}
}

func pipe(from, to net.Conn) {
	buf := make([]byte, 4<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			_, err = to.Write(buf[:n])
		}
		if err != nil {
			from.Close()
			to.Close()
			return
		}
	}
}

// cut returns when no connection is open, or when new ones are relayed again.
func (c *cutter) cut(off bool) {
	c.off <- off
	<-c.done
}

// TestSidecarOfACluster: the sidecar follows the leader, also after the leader has ended. Its clients see no MOVED. A busy machine
// may change the leader at any time, so each command is sent until it has its reply.
func TestSidecarOfACluster(t *testing.T) {
	c := newCluster(t)
	var nodes []string
	leader := c.leader()
	for i := range c.nodes { // the leader comes last
		nodes = append(nodes, fmt.Sprint("127.0.0.1:", c.ports[(leader+1+i)%3]))
	}
	side := startSidecarOf(t, strings.Join(nodes, ","))
	client := side.dial(t)
	replies := func(want string, command ...any) {
		t.Helper()
		c.eventually(fmt.Sprint(command, " has no reply ", want), func() bool {
			reply := fmt.Sprint(client.Do(command...))
			require.NotContains(t, reply, "MOVED")
			return strings.HasPrefix(reply, want)
		})
	}
	replies("OK", "SET", "a", 1)
	for range 500 {
		replies("[0 ", "CL.THROTTLE", "k", 1000000, 1, 60)
	}
	c.eventually("a transaction has another reply", func() bool {
		failure := talk(t, side.server.Config().Port, "SET a 1", "OK", "MULTI", "OK", "INCR a", "QUEUED", "EXEC", "[2]")
		require.NotContains(t, failure, "MOVED")
		return failure == ""
	})
	c.eventually("the sidecar does not know the leader", func() bool {
		leader = c.leader()
		return side.peers.sidecar.Hub().Leader() == fmt.Sprint("127.0.0.1:", c.ports[leader])
	})
	c.end(leader)
	began := time.Now()
	replies("OK", "SET", "a", 3)
	t.Log("answered again after", time.Since(began))
	replies("3", "GET", "a")
	replies("[0 ", "CL.THROTTLE", "new", 15, 30, 60)
}

// TestSidecarAnswersHTTP: the answers over HTTP are those of the hub.
func TestSidecarAnswersHTTP(t *testing.T) {
	webOf := func(in *instance) string { return "http://" + in.api.Plain.Address() }
	free := func() string { return strconv.Itoa(porttest.Free(t)) }
	hub := start(t, "--http-port", free())
	ok(t, hub.dial(t), "DEBUG", "CLOCK", "SET", 1_800_000_000_000_000_000) // both are asked at the same time
	side := startSidecar(t, hub, "--http-port", free())
	ok(t, hub.dial(t), "CL.RULE", "SET", "api", "CL.WINDOW", 5, 3600, "AND", "CL.WINDOW", 100, 86400, "AND", "CL.LOG", 3, 3600)
	ok(t, hub.dial(t), "CL.RULE", "SET", "two", "SCOPE", "user", "CL.WINDOW", 5, 3600, "AND", "SCOPE", "org", "CL.WINDOW", 9, 3600)
	ask := func(in *instance, method, path string) (status int, text string, headers http.Header) {
		request, err := http.NewRequest(method, webOf(in)+path, nil)
		require.NoError(t, err)
		reply, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer reply.Body.Close()
		body, err := io.ReadAll(reply.Body)
		require.NoError(t, err)
		reply.Header.Del("Date")
		return reply.StatusCode, string(body), reply.Header
	}
	for i, path := range []string{"/check/api?key=%s", "/check/two@user,two@org?key=u%[1]s&key=o%[1]s", "/check/none?key=%s", "/throttle?key=%s&burst=3&count=1&period=3600"} {
		for range 5 {
			status, body, headers := ask(hub, "POST", fmt.Sprintf(path, "h"))
			asked, text, had := ask(side, "POST", fmt.Sprintf(path, "s"))
			require.Equal(t, status, asked, path)
			require.Equal(t, body, text, path)
			require.Equal(t, headers, had, path)
			require.True(t, i != 0 || status == 200 || status == 429)
		}
	}
	hub.stop()
	hub.wait(t)
	status, body, _ := ask(side, "POST", "/check/api?key=later")
	require.GreaterOrEqual(t, status, 500, body)
}

// TestSidecarLeasesOverHTTP: hot keys of rules are leased, whatever the door. The limit holds exactly.
func TestSidecarLeasesOverHTTP(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub, "--http-port", strconv.Itoa(porttest.Free(t)))
	admin := hub.dial(t)
	ok(t, admin, "CL.RULE", "SET", "api", "CL.WINDOW", 400, 3600)
	ok(t, admin, "CL.RULE", "SET", "two", "CL.WINDOW", 500, 3600, "AND", "CL.THROTTLE", 9999, 10000, 3600)
	for _, path := range []string{"/check/api?key=k", "/forward/rule=api&key=path/p", "/check/two?key=k"} {
		limit, before := 400, hub.calls(t, "cl.mcheck")+hub.calls(t, "cl.check")
		if path == "/check/two?key=k" {
			limit = 500
		}
		allowed, refused := 0, 0
		for range 2 * limit {
			reply, err := http.Post("http://"+side.api.Plain.Address()+path, "", nil)
			require.NoError(t, err)
			body, err := io.ReadAll(reply.Body)
			require.NoError(t, err)
			reply.Body.Close()
			policies := strings.Split(reply.Header.Get("RateLimit-Policy"), ", ")
			require.Contains(t, policies[0], fmt.Sprintf("q=%d;w=3600", limit))
			switch reply.StatusCode {
			case 200:
				allowed++
				var left int // a lease that has ended with units leaves fewer
				_, text, _ := strings.Cut(reply.Header.Get("RateLimit"), ";r=")
				_, err := fmt.Sscanf(text, "%d;", &left)
				require.NoError(t, err, string(body))
				require.LessOrEqual(t, left, limit-allowed, string(body))
				require.GreaterOrEqual(t, left, 0, string(body))
			case 429:
				refused++
				require.NotEmpty(t, reply.Header.Get("Retry-After"))
				require.Contains(t, string(body), "violated-policies")
			default:
				t.Fatal(reply.Status, string(body))
			}
			require.Len(t, policies, 1+strings.Count(path, "two"))
		}
		require.LessOrEqual(t, allowed, limit, path)
		require.Greater(t, allowed, limit/2, path)
		require.Less(t, hub.calls(t, "cl.mcheck")+hub.calls(t, "cl.check")-before, allowed, path)
	}
	require.Positive(t, hub.calls(t, "cl.lease"))
	policy := func() string {
		reply, err := http.Post("http://"+side.api.Plain.Address()+"/check/api?key=k", "", nil)
		require.NoError(t, err)
		require.NoError(t, reply.Body.Close())
		return reply.Header.Get("RateLimit-Policy")
	}
	require.Contains(t, policy(), "q=400;w=3600")
	ok(t, side.dial(t), "CL.RULE", "SET", "api", "CL.WINDOW", 401, 1800)
	require.Contains(t, policy(), "q=401;w=1800", "a change through the sidecar has its effect at once")
	admin.Do("CL.RULE", "DEL", "api")
	require.Eventually(t, func() bool {
		reply, err := http.Post("http://"+side.api.Plain.Address()+"/check/api?key=k", "", nil)
		require.NoError(t, err)
		reply.Body.Close()
		return reply.StatusCode == 404
	}, timeout, 10*time.Millisecond)
}

// TestSidecarDoors: clients come over a unix socket and with TLS, and the hub is asked with TLS.
func TestSidecarDoors(t *testing.T) {
	dir := t.TempDir()
	certtest.New(t, dir, "hub")
	certtest.New(t, dir, "other")
	file := func(name string) string { return filepath.Join(dir, name) }
	secured, door := strconv.Itoa(porttest.Free(t)), strconv.Itoa(porttest.Free(t))
	files := []string{"--tls-cert-file", file("hub.crt"), "--tls-key-file", file("hub.key"), "--tls-ca-cert-file", file("hub.crt")}
	start(t, append(files, "--tls-port", secured)...)
	hub, socket := "127.0.0.1:"+secured, resptest.SocketPath(t)
	side := startSidecarOf(t, hub, append(files, "--upstream-tls", "yes", "--unixsocket", socket, "--tls-port", door)...)
	conn, err := net.Dial("unix", socket)
	require.NoError(t, err)
	c := resptest.New(t, conn)
	defer c.Close()
	ok(t, c, "SET", "a", 1)
	require.Equal(t, "1", side.dial(t).Do("GET", "a"))
	require.Equal(t, int64(0), c.Do("CL.THROTTLE", "k", 15, 30, 60).([]any)[0])
	require.Equal(t, []any{"upstream-password", ""}, c.Do("CONFIG", "GET", "upstream-password"))

	strange := start(t, "--upstream", hub, "--upstream-tls", "yes", "--tls-ca-cert-file", file("other.crt"))
	require.Contains(t, strange.dial(t).Do("GET", "a"), resptest.Error("NOHUB the hub does not answer (tls: failed to verify certificate"))
	_, err = open(t, "--upstream", hub, "--upstream-tls", "yes", "--tls-ca-cert-file", file("none.crt"))
	require.ErrorContains(t, err, "tls-ca-cert-file")
}

// TestSidecarRefusesDirectivesOfTheHub: what has no effect in a sidecar is refused. The value that is in force is none of that.
func TestSidecarRefusesDirectivesOfTheHub(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub)
	c := side.dial(t)
	for name, value := range map[string]string{
		"save": "60 1", "appendonly": "yes", "appendfsync": "always", "maxmemory": "1gb", "maxmemory-policy": "allkeys-lru", "requirepass": "x",
		"hash-max-listpack-entries": "9", "notify-keyspace-events": "KEA", "slowlog-log-slower-than": "1", "busy-reply-threshold": "1",
		"cluster-allow-reads-when-down": "yes", "min-replicas-to-write": "1", "acllog-max-len": "1",
		"latency-monitor-threshold": "1", "lazyfree-lazy-expire": "yes", "adaptive-metrics-keys": "k",
	} {
		before := c.Do("CONFIG", "GET", name)
		require.Equal(t, resptest.Error("ERR CONFIG SET failed (possibly related to argument '"+name+
			"') - this server is a sidecar, where it has no effect: set it at the hub"), c.Do("CONFIG", "SET", "timeout", 99, name, value), name)
		require.Equal(t, before, c.Do("CONFIG", "GET", name))
		ok(t, c, "CONFIG", "SET", name, before.([]any)[1])
	}
	require.Equal(t, []any{"timeout", "0"}, c.Do("CONFIG", "GET", "timeout"))
	for name, value := range map[string]string{
		"timeout": "60", "maxclients": "500", "loglevel": "verbose", "upstream-lease": "500", "upstream-lost": "allow", "tcp-keepalive": "30",
		"client-output-buffer-limit": "normal 0 0 0", "auth-fail-limit": "5 60", "hz": "20",
	} {
		ok(t, c, "CONFIG", "SET", name, value)
	}
}

// TestSidecarForgetsOldLimits: upstream-keys bounds what a sidecar remembers.
func TestSidecarForgetsOldLimits(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub, "--upstream-keys", "160")
	c := side.dial(t)
	require.Equal(t, []any{int64(0), int64(16), int64(15), int64(-1), int64(2)},
		c.Do("CL.THROTTLE", strings.Repeat("x", 60000), 15, 30, 60))
	require.Zero(t, side.peers.sidecar.Accounts(), "a long key")
	for i := range 1000 {
		require.Equal(t, int64(0), c.Do("CL.THROTTLE", i, 15, 30, 60).([]any)[0])
	}
	require.LessOrEqual(t, side.peers.sidecar.Accounts(), 160)
	require.Greater(t, side.peers.sidecar.Accounts(), 80)
	ok(t, c, "CONFIG", "SET", "upstream-keys", 16)
	require.LessOrEqual(t, side.peers.sidecar.Accounts(), 16)
}

// TestSidecarAnswersHalfClosedClients: a client over HTTP that closes its side after the request still gets its answer, as at the hub.
func TestSidecarAnswersHalfClosedClients(t *testing.T) {
	hub := start(t)
	side := startSidecar(t, hub, "--http-port", strconv.Itoa(porttest.Free(t)))
	ok(t, hub.dial(t), "CL.RULE", "SET", "api", "CL.WINDOW", 50, 3600)
	for path, body := range map[string]string{"/check/api": `{"key":"k"}`, "/throttle": `{"key":"t","limit":"50/hour"}`} {
		for range 20 {
			nc, err := net.Dial("tcp", side.api.Plain.Address())
			require.NoError(t, err)
			_, err = fmt.Fprintf(nc, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				path, len(body), body)
			require.NoError(t, err)
			require.NoError(t, nc.(*net.TCPConn).CloseWrite())
			reply, err := io.ReadAll(nc)
			require.NoError(t, err)
			require.Contains(t, string(reply), "HTTP/1.1 200 OK", path)
			require.NoError(t, nc.Close())
		}
	}
}
