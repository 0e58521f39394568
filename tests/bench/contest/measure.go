package contest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// undisturbed repeats a measurement until other processes use little enough, or returns the least disturbed
// one. On a machine that is always busy it measures once.
func undisturbed(o Options, pids []int, measure func() (load.Sample, error)) (load.Sample, error) {
	once := func() (found load.Sample, err error) {
		others, err := server.Observe(pids, func() (err error) { found, err = measure(); return err })
		found.Others = others
		return found, err
	}
	if o.Busy {
		return once()
	}
	return server.LeastDisturbed(once)
}

// measure starts a server, warms it up, and measures one workload.
func (d Side) measure(ctx context.Context, o Options) (load.Sample, error) {
	if d.Command == nil && d.Script == nil {
		return load.Sample{}, errors.New("there is no such workload")
	}
	s, err := d.Start(ctx, o.Core)
	if err != nil {
		return load.Sample{}, err
	}
	defer s.Stop()
	if d.prepare != nil {
		if err := d.prepare(ctx, s); err != nil {
			return load.Sample{}, err
		}
	}
	return MeasureOn(ctx, o, s, d.Workload, d.Point)
}

// MeasureOn measures a workload on a server that runs and is prepared.
func MeasureOn(ctx context.Context, o Options, s *server.Server, w Workload, p load.Point) (load.Sample, error) {
	run := runner(ctx, s, w, p)
	warm, _, err := run(o.Seconds/4, 2*p.Pipeline*p.Connections)
	if err != nil {
		return load.Sample{}, err
	}
	found, err := undisturbed(o, []int{s.PID}, func() (load.Sample, error) {
		return accounted(s, w, func() (load.Sample, int, error) { return run(o.Seconds, int(warm.Rate*o.Seconds)) })
	})
	if err == nil {
		report.Say("%-26s %-10s P=%-2d c=%-3d %9.0f/s %6.2f µs", w.Name, s.Name, p.Pipeline, p.Connections, found.Rate, found.CPU)
	}
	return found, err
}

// runner returns a function that runs the workload for some seconds, or for some requests under
// redis-benchmark. The function also returns the number of requests.
func runner(ctx context.Context, s *server.Server, w Workload, p load.Point) func(seconds float64, requests int) (load.Sample, int, error) {
	if w.Command == nil {
		ticks := make([]int, p.Connections) // the scripts continue from run to run
		return func(seconds float64, _ int) (load.Sample, int, error) { return runScript(ctx, s, w, p, seconds, ticks) }
	}
	return func(_ float64, requests int) (load.Sample, int, error) {
		requests = max(requests, 10_000)
		found, err := load.RedisBenchmark(ctx, s.Addr, p, requests, Keyspace, w.Command)
		return found, requests, err
	}
}

// runScript runs the connections' scripts from their current ticks.
func runScript(ctx context.Context, s *server.Server, w Workload, p load.Point, seconds float64, ticks []int) (load.Sample, int, error) {
	out, err := load.Drive(ctx, load.Load{
		Addr: cmp.Or(s.Web, s.Addr), Connections: p.Connections, Pipeline: p.Pipeline,
		Duration: time.Duration(seconds * 1e9), Heard: w.heard,
		Script: func(connection int) load.Script {
			next := w.Script(connection)
			return func(request, reply []byte, _ int) ([]byte, []byte) {
				ticks[connection]++
				return next(request, reply, ticks[connection]-1)
			}
		},
	})
	if err != nil {
		return load.Sample{}, 0, err
	}
	ms := func(part float64) float64 { return report.InMs(load.Percentile(out.Timings, part)) }
	return load.Sample{
		Rate: float64(out.Requests) / out.Elapsed.Seconds(),
		P50:  ms(0.5), P99: ms(0.99), P999: ms(0.999), Max: ms(1),
	}, out.Requests, nil
}

// counters returns the server's counters, zeros for a bare server.
func counters(s *server.Server) (server.Counters, error) {
	if s.Bare {
		return server.Counters{}, nil
	}
	return s.Counters()
}

// accounted runs a load and adds the server's processor time. By the server's counters it checks that the
// server executed every command without an error.
func accounted(s *server.Server, w Workload, run func() (load.Sample, int, error)) (found load.Sample, err error) {
	if err := w.probe(s); err != nil {
		return found, err
	}
	before, err := counters(s)
	if err != nil {
		return found, err
	}
	begun, err := server.CPU(s.PID)
	if err != nil {
		return found, err
	}
	found, requests, err := run()
	if err != nil {
		return found, err
	}
	ended, err := server.CPU(s.PID)
	if err != nil {
		return found, err
	}
	after, err := counters(s)
	if err != nil {
		return found, err
	}
	if err := served(before, after, requests*max(1, w.each)); err != nil && !s.Bare {
		return found, fmt.Errorf("%s: %w", s.Name, err)
	}
	found.CPU = (ended - begun).Seconds() * 1e6 / float64(requests)
	if w.after != nil {
		if err := w.after(); err != nil {
			return found, fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return found, w.probe(s)
}

// served returns an error if the server's counters do not match the number of commands.
func served(before, after server.Counters, commands int) error {
	if n := after.Errors - before.Errors; n != 0 {
		return fmt.Errorf("%d of %d commands were answered with an error", n, commands)
	}
	if n := after.Commands - before.Commands; n < int64(commands) {
		return fmt.Errorf("%d commands were sent, and only %d executed", commands, n)
	}
	return nil
}
