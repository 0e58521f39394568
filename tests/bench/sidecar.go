package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"cellserver/sidecar/account"
	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/nodes"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// hotClients is how many clients there are, and sidecars.
const hotClients = 8

// hotKey is a limit that is never reached. hotReply allows.
var (
	hotKey   = []string{"CL.THROTTLE", "hot", "99999999", "100000000", "5"}
	hotReply = []byte("*5\r\n:0\r\n:100000000\r\n:????????\r\n:-1\r\n:?\r\n")
)

// asking asks for a time, and returns how many decisions there were.
type asking func(context.Context, time.Duration) (decisions int, err error)

const direct = "the hub"

// trips are how far a hub is away, there and back.
var trips = []time.Duration{time.Millisecond}

// way is how eight clients ask about one hot key.
type way struct {
	name   string
	over   string // the name of the way that it is compared with
	ask    asking
	rounds []load.Sample
	hub    []float64 // the processor time of the hub for a decision of each round, in microseconds
}

// sidecars are those of one hub: their addresses and unix sockets.
type sidecars struct {
	addrs, sockets []string
	pids           []int
	stop           func()
}

// startSidecars starts a sidecar for each client.
func startSidecars(ctx context.Context, o contest.Options, dir, hub string) (s *sidecars, err error) {
	s = &sidecars{}
	var all []*nodes.Cluster
	s.stop = func() {
		for _, one := range all {
			one.Stop()
		}
	}
	for i := range hotClients {
		socket := filepath.Join(dir, fmt.Sprint(hub[strings.LastIndexByte(hub, ':')+1:], ".", i))
		one, err := nodes.Start(ctx, o.Cellserver, 0, "--upstream", hub, "--unixsocket", socket)
		if err != nil {
			s.stop()
			return nil, err
		}
		all = append(all, one)
		s.pids = append(s.pids, one.PIDs(0)...)
		s.addrs, s.sockets = append(s.addrs, one.Addr(0)), append(s.sockets, socket)
	}
	return s, nil
}

// measureSidecars measures eight clients of one hot key: of the hub, of a sidecar each, and with a lease
// each.
func measureSidecars(ctx context.Context, o contest.Options) ([]report.Section, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "hub")
	all, err := nodes.Start(ctx, o.Cellserver, 0, "--appendonly", "no", "--unixsocket", socket)
	if err != nil {
		return nil, err
	}
	defer func() { all.Stop() }()
	hub := all.Addr(0)
	beside, err := startSidecars(ctx, o, dir, hub)
	if err != nil {
		return nil, err
	}
	defer beside.stop()
	pids := append(all.PIDs(0), beside.pids...)
	ways := waysNear(hub, socket, beside)
	for _, trip := range trips {
		l, err := listenFar(hub, trip)
		if err != nil {
			return nil, err
		}
		defer l.Close()
		far := l.Addr().String()
		beside, err := startSidecars(ctx, o, dir, far)
		if err != nil {
			return nil, err
		}
		defer beside.stop()
		pids = append(pids, beside.pids...)
		away := fmt.Sprint("the hub ", trip, " away")
		ways = append(ways, way{name: away, over: away, ask: hot(same(far), 1)},
			way{name: "8 sidecars, " + away, over: away, ask: hot(beside.sockets, 1)})
	}
	length := time.Duration(o.Seconds * float64(time.Second))
	for range o.Repeats {
		for i := range ways {
			if err := ways[i].measure(ctx, append(pids, os.Getpid()), length); err != nil {
				return nil, fmt.Errorf("%s: %w", ways[i].name, err)
			}
		}
	}
	return []report.Section{sidecarSection(ways)}, nil
}

// same returns one address for all clients.
func same(addr string) []string { return slices.Repeat([]string{addr}, hotClients) }

// hot returns a load of decisions about the hot key.
func hot(addrs []string, pipeline int) asking {
	return drive(addrs, pipeline, load.Command(nil, hotKey...), hotReply)
}

// waysNear returns the ways to ask a hub on the same machine.
func waysNear(hub, socket string, s *sidecars) []way {
	ping := func(addrs []string) asking {
		return drive(addrs, 1, load.Command(nil, "PING"), []byte("+PONG\r\n"))
	}
	lease := func(pipeline int) asking {
		words := append([]string{"CL.LEASE", "10", "1000"}, hotKey...)
		reply := "*7\r\n:10\r\n:100000000\r\n:????????\r\n:-1\r\n:????\r\n:1000\r\n:????????????????\r\n"
		return drive(same(hub), pipeline, load.Command(nil, words...), []byte(reply))
	}
	const deep, many = 16, direct + ", P=16"
	return []way{
		{name: "the hub, PING", over: direct, ask: ping(same(hub))},
		{name: direct, over: direct, ask: hot(same(hub), 1)},
		{name: "the hub, CL.LEASE", over: direct, ask: lease(1)},
		{name: "the hub, unix socket", over: direct, ask: hot(same(socket), 1)},
		{name: "8 sidecars, PING", over: direct, ask: ping(s.addrs)},
		{name: "8 sidecars", over: direct, ask: hot(s.addrs, 1)},
		{name: "8 sidecars, unix socket", over: direct, ask: hot(s.sockets, 1)},
		{name: "8 accounts in the process", over: direct, ask: leaseFrom(hub)},
		{name: many, over: many, ask: hot(same(hub), deep)},
		{name: "the hub, CL.LEASE, P=16", over: many, ask: lease(deep)},
		{name: "8 sidecars, P=16", over: many, ask: hot(s.addrs, deep)},
	}
}

// measure measures a round: the decisions in a second, and the processor time of all processes for one. The
// first process is the hub.
func (w *way) measure(ctx context.Context, pids []int, d time.Duration) error {
	if _, err := w.ask(ctx, d/4); err != nil { // the key becomes hot
		return err
	}
	before, err := cpuOf(pids)
	if err != nil {
		return err
	}
	begun := time.Now()
	n, err := w.ask(ctx, d)
	elapsed := time.Since(begun)
	after, failed := cpuOf(pids)
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	spent := func(i int) float64 { return float64((after[i] - before[i]).Nanoseconds()) / 1000 / float64(n) }
	s := load.Sample{Rate: float64(n) / elapsed.Seconds()}
	for i := range after {
		s.CPU += spent(i)
	}
	w.rounds, w.hub = append(w.rounds, s), append(w.hub, spent(0))
	return nil
}

// drive returns a load of one client for each address.
func drive(addrs []string, pipeline int, request, reply []byte) asking {
	script := func(b, r []byte, _ int) ([]byte, []byte) { return append(b, request...), append(r, reply...) }
	return func(ctx context.Context, d time.Duration) (int, error) {
		return together(len(addrs), func(i int) (int, error) {
			found, err := load.Drive(ctx, load.Load{
				Addr: addrs[i], Connections: 1, Pipeline: pipeline, Duration: d,
				Script: func(int) load.Script { return script },
			})
			return found.Requests, err
		})
	}
}

// together runs a function for each client at the same time, and adds what they return.
func together(n int, run func(i int) (int, error)) (sum int, err error) {
	var working sync.WaitGroup
	counts, errs := make([]int, n), make([]error, n)
	for i := range n {
		working.Go(func() { counts[i], errs[i] = run(i) })
	}
	working.Wait()
	for _, count := range counts {
		sum += count
	}
	return sum, errors.Join(errs...)
}

// leaseFrom returns a load of clients that hold leases of a hub themselves. They ask for nothing else.
func leaseFrom(hub string) asking {
	return func(ctx context.Context, d time.Duration) (int, error) {
		return together(hotClients, func(int) (int, error) {
			c, err := server.Dial(hub)
			if err != nil {
				return 0, err
			}
			defer c.Close()
			table := account.NewTable(account.Settings{Lease: 1000, Keys: 1})
			return leaseHot(ctx, c, table, d)
		})
	}
}

// leaseHot decides about the hot key for a time, and asks the hub for units when the account says so.
func leaseHot(
	ctx context.Context, c *server.Client, table *account.Table, d time.Duration,
) (n int, err error) {
	begun, key := time.Now(), []byte(strings.Join(hotKey, " "))
	for ctx.Err() == nil {
		past := time.Since(begun)
		if past >= d {
			return n, nil
		}
		now := account.Time{Boot: 1 + past.Microseconds(), Wall: begun.Add(past).UnixMicro()}
		a := table.Account("", key)
		verdict, _ := a.Take(now, 1)
		switch verdict {
		case account.Refused:
			return n, errors.New("the hub refuses units of a limit that is never reached")
		case account.Local:
			n++
		}
		if ask, asks := a.NextAsk(now); asks {
			if err := grant(c, a, ask, now); err != nil {
				return n, err
			}
		}
		if verdict == account.Wait {
			a.Gone(1)
		}
	}
	return n, ctx.Err()
}

// grant asks the hub for units.
func grant(c *server.Client, a *account.Account, ask account.Ask, now account.Time) error {
	words := []any{"CL.LEASE", ask.Want, ask.TTL}
	if ask.Back.Units > 0 {
		words = append(words, "BACK", ask.Back.Units, ask.Back.At, ask.Back.Ends)
	}
	for _, word := range hotKey {
		words = append(words, word)
	}
	reply, err := c.Do(words...)
	all, ok := reply.([]any)
	if err != nil || !ok || len(all) != 7 {
		return fmt.Errorf("CL.LEASE was answered %v (%w)", reply, err)
	}
	var n [7]int64
	for i := range n {
		n[i], _ = all[i].(int64)
	}
	a.Granted(now, ask, account.Grant{
		Units: n[0], Limit: n[1], Remaining: n[2], RetryAfter: n[3], ResetAfter: n[4], Ends: n[5], At: n[6],
	})
	return nil
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
func sidecarSection(ways []way) report.Section {
	head := []string{
		"clients ask", "per second", "±", "× the hub", "CPU µs", "±", "× the hub",
		"hub µs", "× the hub",
	}
	t := report.Table{Numbers: len(head) - 1, Head: head}
	for _, w := range ways {
		hub := ways[slices.IndexFunc(ways, func(o way) bool { return o.name == w.over })]
		over := func(by func(load.Sample) float64) string {
			ratios := contest.Ratios(contest.Row{Samples: w.rounds}, contest.Row{Samples: hub.rounds}, by)
			return fmt.Sprintf("%.2f", report.Median(ratios))
		}
		spread := func(by func(load.Sample) float64) string {
			least, most := report.Least(w.rounds, by), report.Largest(w.rounds, by)
			return report.Percent((most - least) / report.MedianOf(w.rounds, by))
		}
		ratios := slices.Clone(w.hub)
		for i := range ratios {
			ratios[i] /= hub.hub[i]
		}
		t.Add(w.name, report.Thousands(report.MedianOf(w.rounds, contest.ByRate)), spread(contest.ByRate),
			over(contest.ByRate), fmt.Sprintf("%.2f", report.MedianOf(w.rounds, contest.ByCPU)),
			spread(contest.ByCPU), over(contest.ByCPU), fmt.Sprintf("%.2f", report.Median(w.hub)),
			fmt.Sprintf("%.2f", report.Median(ratios)))
	}
	return report.Section{ID: "sidecars", Heading: "Sidecars and one hot key", Notes: sidecarNotes, Table: t}
}
