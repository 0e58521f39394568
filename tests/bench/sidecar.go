package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cellserver/resp/resptest"
	"cellserver/sidecar/account"
	"cellserver/tests/bench/contest"

	"github.com/stretchr/testify/require"
)

// hotClients is how many clients there are, and sidecars.
const hotClients = 8

// hotKey is a limit that is never reached. The replies allow.
const (
	hotKey     = "CL.THROTTLE hot 99999999 100000000 5"
	hotReply   = "*5\r\n:0\r\n:100000000\r\n:#\r\n:-1\r\n:#\r\n"
	leaseReply = "*7\r\n:10\r\n:100000000\r\n:#\r\n:-1\r\n:#\r\n:1000\r\n:#\r\n"
)

// trip is how far a hub is away, there and back.
const trip = time.Millisecond

// The ways that others are compared with. A side has the name of its own and, as its server, that of one of
// these.
const (
	direct = "the hub"
	deep   = "the hub, P=16"
	away   = "the hub 1ms away"
)

// measureSidecars measures eight clients of one hot key: of the hub, of a sidecar each, and with a lease
// each. All processes run on the core of the clients.
func measureSidecars(t testing.TB, o contest.Options) []section {
	socket := filepath.Join(t.TempDir(), "hub")
	hub := contest.Ours(o, "--appendonly", "no", "--unixsocket", socket).Start(t, o.LoadCore)
	far := listenFar(t, hub.Addr)
	near, beyond := startSidecars(t, o, hub.Addr), startSidecars(t, o, far)
	pids := slices.Concat([]int{hub.PID()}, near.pids, beyond.pids, []int{os.Getpid()})
	way := func(name, over string, load func(time.Duration) contest.Outcome) contest.Side {
		return contest.Side{Name: name, Server: over, Open: func(testing.TB) contest.Running {
			return contest.Running{PIDs: pids, Load: load, Close: func() {}}
		}}
	}
	asks := func(name, over, words, reply string, pipeline int, addrs ...string) contest.Side {
		script := contest.Repeats(contest.Command(nil, strings.Fields(words)...), reply)
		at := contest.Point{Pipeline: pipeline, Connections: hotClients}
		return way(name, over, contest.Clients(t, addrs, script, at))
	}
	const lease = "CL.LEASE 10 1000 " + hotKey
	return []section{sidecarSection(contest.Run(t, o, []contest.Side{
		asks("the hub, PING", direct, "PING", "+PONG\r\n", 1, hub.Addr),
		asks(direct, direct, hotKey, hotReply, 1, hub.Addr),
		asks("the hub, CL.LEASE", direct, lease, leaseReply, 1, hub.Addr),
		asks("the hub, unix socket", direct, hotKey, hotReply, 1, socket),
		asks("8 sidecars, PING", direct, "PING", "+PONG\r\n", 1, near.addrs...),
		asks("8 sidecars", direct, hotKey, hotReply, 1, near.addrs...),
		asks("8 sidecars, unix socket", direct, hotKey, hotReply, 1, near.sockets...),
		way("8 accounts in the process", direct, leaseFrom(t, hub.Addr)),
		asks(deep, deep, hotKey, hotReply, 16, hub.Addr),
		asks("the hub, CL.LEASE, P=16", deep, lease, leaseReply, 16, hub.Addr),
		asks("8 sidecars, P=16", deep, hotKey, hotReply, 16, near.addrs...),
		asks(away, away, hotKey, hotReply, 1, far),
		asks("8 sidecars, "+away, away, hotKey, hotReply, 1, beyond.sockets...),
	}))}
}

// sidecars are those of one hub: their addresses and unix sockets.
type sidecars struct {
	addrs, sockets []string
	pids           []int
}

// startSidecars starts a sidecar for each client.
func startSidecars(t testing.TB, o contest.Options, hub string) (s sidecars) {
	dir := t.TempDir()
	for i := range hotClients {
		socket := filepath.Join(dir, fmt.Sprint(i))
		one := contest.Ours(o, "--upstream", hub, "--unixsocket", socket).Start(t, o.LoadCore)
		s.pids, s.addrs = append(s.pids, one.PID()), append(s.addrs, one.Addr)
		s.sockets = append(s.sockets, socket)
	}
	return s
}

// leaseFrom returns a load of clients that hold leases of a hub themselves. They ask for nothing else.
func leaseFrom(t testing.TB, hub string) func(time.Duration) contest.Outcome {
	return func(d time.Duration) contest.Outcome {
		var working sync.WaitGroup
		counts, begun := make([]int, hotClients), time.Now()
		for i := range hotClients {
			c := resptest.Dial(t, hub)
			defer c.Close()
			table := account.NewTable(account.Settings{Lease: 1000, Keys: 1})
			working.Go(func() { counts[i] = leaseHot(t, c, table, d) })
		}
		working.Wait()
		all := contest.Outcome{Elapsed: time.Since(begun)}
		for _, n := range counts {
			require.Positive(t, n, "a client has no decision")
			all.Requests += n
		}
		return all
	}
}

// leaseHot decides about the hot key for a time, and asks the hub for units when the account says so. It
// returns how many decisions there were, 0 if the hub refuses.
func leaseHot(t testing.TB, c *resptest.Client, table *account.Table, d time.Duration) (n int) {
	begun, key := time.Now(), []byte(hotKey)
	for past := time.Duration(0); past < d; past = time.Since(begun) {
		now := account.Time{Boot: 1 + past.Microseconds(), Wall: begun.Add(past).UnixMicro()}
		a := table.Account("", key)
		verdict, _ := a.Take(now, 1)
		switch verdict {
		case account.Refused: // the limit is never reached
			return 0
		case account.Local:
			n++
		}
		if ask, asks := a.NextAsk(now); asks && !grant(c, a, ask, now) {
			return 0
		}
		if verdict == account.Wait {
			a.Gone(1)
		}
	}
	return n
}

// grant asks the hub for units, and reports whether it has got them.
func grant(c *resptest.Client, a *account.Account, ask account.Ask, now account.Time) bool {
	words := fmt.Sprint("CL.LEASE ", ask.Want, " ", ask.TTL, " ")
	if ask.Back.Units > 0 {
		words += fmt.Sprint("BACK ", ask.Back.Units, " ", ask.Back.At, " ", ask.Back.Ends, " ")
	}
	c.Write(contest.Command(nil, strings.Fields(words+hotKey)...))
	all, ok := c.Recv().([]any)
	if !ok || len(all) != 7 {
		return false
	}
	var n [7]int64
	for i := range n {
		n[i], _ = all[i].(int64)
	}
	a.Granted(now, ask, account.Grant{
		Units: n[0], Limit: n[1], Remaining: n[2], RetryAfter: n[3], ResetAfter: n[4], Ends: n[5], At: n[6],
	})
	return true
}

const sidecarNotes = `
Eight clients ask about one hot key, without pipelines or with sixteen commands in each (P=16). The hub, the
sidecars and the clients share one core. CPU is the processor time of all processes together for one
decision, and that of the hub alone stands beside it. A PING decides nothing, so its row is the floor of the
wire: a sidecar that decided in no time would have it. Sidecars are eight processes, which take turns on the
core, and the hub is one that has several clients in a turn. Only a lease in the process of the client is
below the floor, because its decisions cross no socket. CL.LEASE takes ten units at once, and its row counts
commands. A hub that is away is behind a relay that delivers all bytes after half of the trip. The relay
shares the core, too. Sidecars of such a hub are asked over unix sockets. × the hub is the median of the
ratios to the hub asked in the same way, round by round.
± is the difference between the largest and the least, divided by the median.`

// sidecarSection makes the table of all ways.
func sidecarSection(rows []contest.Row) section {
	head := []string{
		"clients ask", "per second", "±", "× the hub", "CPU µs", "±", "× the hub", "hub µs", "× the hub",
	}
	t := table{numbers: len(head) - 1, head: head}
	for _, r := range rows {
		hub := rows[slices.IndexFunc(rows, func(o contest.Row) bool { return o.Name == r.Server })]
		number := func(by func(contest.Sample) float64) string { return fmt.Sprintf("%.2f", r.Median(by)) }
		over := func(by func(contest.Sample) float64) string {
			return fmt.Sprintf("%.2f", contest.Median(r.Ratios(hub, by)))
		}
		t.add(r.Name,
			thousands(r.Median(contest.ByRate)), percent(r.Spread(contest.ByRate)), over(contest.ByRate),
			number(contest.ByAllCPU), percent(r.Spread(contest.ByAllCPU)), over(contest.ByAllCPU),
			number(contest.ByCPU), over(contest.ByCPU))
	}
	return section{id: "sidecars", heading: "Sidecars and one hot key", notes: sidecarNotes, table: t}
}
