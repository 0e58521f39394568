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

// way is how eight clients ask about one hot key.
type way struct {
	name   string
	ask    asking
	rounds []load.Sample
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
	pids := all.PIDs(0)
	var addrs, sockets []string
	for i := range hotClients {
		socket := filepath.Join(dir, fmt.Sprint(i))
		one, err := nodes.Start(ctx, o.Cellserver, 0, "--upstream", hub, "--unixsocket", socket)
		if err != nil {
			return nil, err
		}
		defer one.Stop()
		pids = append(pids, one.PIDs(0)...)
		addrs, sockets = append(addrs, one.Addr(0)), append(sockets, socket)
	}
	same := func(addr string) []string { return slices.Repeat([]string{addr}, hotClients) }
	hot := func(addrs []string) asking { return drive(addrs, load.Command(nil, hotKey...), hotReply) }
	ping := func(addrs []string) asking {
		return drive(addrs, load.Command(nil, "PING"), []byte("+PONG\r\n"))
	}
	ways := []way{
		{name: "the hub, PING", ask: ping(same(hub))},
		{name: direct, ask: hot(same(hub))},
		{name: "the hub, unix socket", ask: hot(same(socket))},
		{name: "8 sidecars, PING", ask: ping(addrs)},
		{name: "8 sidecars", ask: hot(addrs)},
		{name: "8 sidecars, unix socket", ask: hot(sockets)},
		{name: "8 accounts in the process", ask: leaseFrom(hub)},
	}
	length := time.Duration(o.Seconds * float64(time.Second))
	for range o.Repeats {
		for i := range ways {
			sample, err := ways[i].measure(ctx, append(pids, os.Getpid()), length)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", ways[i].name, err)
			}
			ways[i].rounds = append(ways[i].rounds, sample)
		}
	}
	return []report.Section{sidecarSection(ways)}, nil
}

// measure returns the decisions in a second, and the processor time of all processes for one.
func (w *way) measure(ctx context.Context, pids []int, d time.Duration) (s load.Sample, err error) {
	if _, err := w.ask(ctx, d/4); err != nil { // the key becomes hot
		return s, err
	}
	before, err := cpuOf(pids)
	if err != nil {
		return s, err
	}
	begun := time.Now()
	n, err := w.ask(ctx, d)
	elapsed := time.Since(begun)
	after, failed := cpuOf(pids)
	for i := range after {
		s.CPU += float64((after[i] - before[i]).Nanoseconds()) / 1000 / float64(n)
	}
	s.Rate = float64(n) / elapsed.Seconds()
	return s, errors.Join(err, failed)
}

// drive returns a load of one client for each address, which asks without a pipeline.
func drive(addrs []string, request, reply []byte) asking {
	script := func(b, r []byte, _ int) ([]byte, []byte) { return append(b, request...), append(r, reply...) }
	return func(ctx context.Context, d time.Duration) (int, error) {
		return together(len(addrs), func(i int) (int, error) {
			found, err := load.Drive(ctx, load.Load{
				Addr: addrs[i], Connections: 1, Pipeline: 1, Duration: d,
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
Eight clients ask about one hot key, without pipelines. The hub, the sidecars and the clients share one
core. CPU is the processor time of all processes together for one decision. A PING decides nothing, so its
row is the floor of the wire: a sidecar that decided in no time would have it. Sidecars are eight processes,
which take turns on the core, and the hub is one that has several clients in a turn. Only a lease in the
process of the client is below the floor, because its decisions cross no socket. × the hub is the median of
the ratios, round by round.
± is the difference between the largest and the least CPU, divided by the median.`

// sidecarSection makes the table of all ways.
func sidecarSection(ways []way) report.Section {
	head := []string{"clients ask", "per second", "× the hub", "CPU µs", "× the hub", "±"}
	t := report.Table{Numbers: 5, Head: head}
	hub := ways[slices.IndexFunc(ways, func(w way) bool { return w.name == direct })]
	for _, w := range ways {
		over := func(by func(load.Sample) float64) string {
			ratios := contest.Ratios(contest.Row{Samples: w.rounds}, contest.Row{Samples: hub.rounds}, by)
			return fmt.Sprintf("%.2f", report.Median(ratios))
		}
		cpu := report.MedianOf(w.rounds, contest.ByCPU)
		least, most := report.Least(w.rounds, contest.ByCPU), report.Largest(w.rounds, contest.ByCPU)
		t.Add(w.name, report.Thousands(report.MedianOf(w.rounds, contest.ByRate)), over(contest.ByRate),
			fmt.Sprintf("%.2f", cpu), over(contest.ByCPU),
			report.Percent((most-least)/cpu))
	}
	return report.Section{ID: "sidecars", Heading: "Sidecars and one hot key", Notes: sidecarNotes, Table: t}
}
