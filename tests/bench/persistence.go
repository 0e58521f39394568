package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// persistence measures the cost to keep every change on disk, and the time to load the keys.
func persistence(ctx context.Context, o contest.Options) ([]report.Section, error) {
	cost, err := costOfPolicies(ctx, o)
	if err != nil {
		return nil, err
	}
	jobs := report.Table{Numbers: 8, Head: []string{"server", "job", "keys", "CPU s", "seconds", "p99.9 quiet", "p99.9 during", "worst", "p99.9, ×", "others"}}
	loads := report.Table{Numbers: 3, Head: []string{"server", "from", "keys", "seconds", "keys a second"}}
	for _, k := range contest.Peers(o) {
		kept, err := keep(ctx, o, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		keys := report.Thousands(float64(o.Keys))
		for _, c := range kept.jobs {
			m := c.middle()
			jobs.Add(k.Name, c.Job.Command, keys, fmt.Sprintf("%.2f", m.cpu), fmt.Sprintf("%.2f", m.took.Seconds()), report.Milliseconds(m.quiet),
				report.Milliseconds(m.during), report.Milliseconds(m.worst), fmt.Sprintf("%.2f", m.during/m.quiet), report.Percent(m.others))
		}
		for _, l := range kept.loads {
			loads.Add(k.Name, l.from, keys, fmt.Sprintf("%.2f", report.MedianOf(l.took, time.Duration.Seconds)), report.Thousands(report.Median(l.rates(o.Keys))))
		}
	}
	return []report.Section{cost, {
		ID: "rewrite", Heading: "Snapshots and rewrites", Table: jobs,
		Notes: `Throttle keys of 16 bytes, or strings that expire on Redis, with --appendonly yes and appendfsync everysec. 100,000 of the keys
are for clients. CPU is the processor time of the job without load, with the time of a forked child. Then 50 clients use their keys
without pipelines, by CL.THROTTLE, or by SET on Redis. The job runs again and again for two seconds, on the core that serves the
clients. Seconds is the time of one such job. The first p99.9 is of the two seconds before the jobs, in ms. The second p99.9 and
the worst wait are of the time of the jobs. All numbers are medians.`,
	}, {
		ID: "load", Heading: "Loading", Table: loads,
		Notes: `The time until a server answers, minus the time of an empty server. The server loads the log of the commands that created the
keys, or the rewritten log. All numbers are medians.`,
	}}, nil
}

// kept are the measurements of a server with persistence.
type kept struct {
	jobs  []jobCosts
	loads []loading
}

// jobCosts are the measurements of a job.
type jobCosts struct {
	server.Job
	costs []jobCost
}

// loading is how long a server took to load its keys, for each start.
type loading struct {
	from string
	took []time.Duration
}

// of returns the measurements of one job.
func (k *kept) of(j server.Job) []jobCost {
	i := slices.IndexFunc(k.jobs, func(c jobCosts) bool { return c.Job == j })
	return k.jobs[i].costs
}

// rates returns keys per second.
func (l *loading) rates(keys int) []float64 {
	return report.Values(l.took, func(d time.Duration) float64 { return float64(keys) / d.Seconds() })
}

// keep fills a server with persistence, then measures loading, snapshots and rewrites.
func keep(ctx context.Context, o contest.Options, k server.Kind) (found kept, err error) {
	k.Keeps = logged("everysec")
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return found, err
	}
	defer os.RemoveAll(dir)
	empty, err := startTimes(ctx, o, k, dir, 0)
	if err != nil {
		return found, err
	}
	if err := inFolder(ctx, o, k, dir, func(s *server.Server) error { return fillKept(ctx, o, s) }); err != nil {
		return found, err
	}
	if err := found.load(ctx, o, k, dir, "the log", empty); err != nil {
		return found, err
	}
	err = inFolder(ctx, o, k, dir, func(s *server.Server) (err error) {
		found.jobs, err = costsOfJobs(ctx, o, s)
		return err
	})
	if err != nil {
		return found, err
	}
	return found, found.load(ctx, o, k, dir, "a rewritten log", empty)
}

// load measures the time to load a folder. The start time of an empty server does not count.
func (found *kept) load(ctx context.Context, o contest.Options, k server.Kind, dir, from string, empty []time.Duration) error {
	all, err := startTimes(ctx, o, k, dir, keptKeys(o)+contest.Keyspace)
	for i := range all {
		all[i] -= time.Duration(report.MedianOf(empty, func(d time.Duration) float64 { return float64(d) }))
	}
	report.Say("%-10s loads %s in %v", k.Name, from, all)
	found.loads = append(found.loads, loading{from, all})
	return err
}

// keptKeys returns the number of throttle keys that no client uses.
func keptKeys(o contest.Options) int { return max(1, o.Keys-contest.Keyspace) }

// fillKept creates the keys that no client uses, and the keys of the clients.
func fillKept(ctx context.Context, o contest.Options, s *server.Server) error {
	if _, err := load.Drive(ctx, contest.ManyKeys(s.Kind, s.Addr, "kept", keptKeys(o))); err != nil {
		return err
	}
	return contest.FillUsed(ctx, s)
}

// inFolder starts a server in a folder, calls a function with the server, and stops the server.
func inFolder(ctx context.Context, o contest.Options, k server.Kind, dir string, do func(*server.Server) error) error {
	s, err := k.StartIn(ctx, o.Core, dir)
	if err != nil {
		return err
	}
	defer s.Stop()
	return do(s)
}

// startTimes returns how long a server takes until its first answer. The server must find this number of keys.
func startTimes(ctx context.Context, o contest.Options, k server.Kind, dir string, keys int) (all []time.Duration, err error) {
	for range o.Repeats {
		if err := server.AwaitCalm(ctx, nil); err != nil {
			return nil, err
		}
		begun := time.Now()
		err := inFolder(ctx, o, k, dir, func(s *server.Server) error {
			all = append(all, time.Since(begun))
			return s.Holds(keys)
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// costsOfJobs measures the jobs in turn. The rewrite of the log comes last.
func costsOfJobs(ctx context.Context, o contest.Options, s *server.Server) ([]jobCosts, error) {
	all := []jobCosts{{Job: server.SaveJob}, {Job: server.RewriteJob}}
	for range o.Repeats {
		for i := range all {
			c, err := server.LeastDisturbed(func() (jobCost, error) { return costOfJob(ctx, s, all[i].Job) })
			if err != nil {
				return nil, err
			}
			report.Say("%-10s %-12s %.2f s CPU, p99.9 %.2f ms then %.2f ms", s.Name, all[i].Command, c.cpu, c.quiet, c.during)
			all[i].costs = append(all[i].costs, c)
		}
	}
	return all, nil
}

// middle returns the median of each measure, and the maximum of others.
func (j *jobCosts) middle() (m jobCost) {
	of := func(field func(jobCost) float64) float64 { return report.MedianOf(j.costs, field) }
	return jobCost{
		cpu:    of(func(c jobCost) float64 { return c.cpu }),
		took:   time.Duration(of(func(c jobCost) float64 { return float64(c.took) })),
		quiet:  of(func(c jobCost) float64 { return c.quiet }),
		during: of(func(c jobCost) float64 { return c.during }),
		worst:  of(func(c jobCost) float64 { return c.worst }),
		others: report.Largest(j.costs, jobCost.Disturbed),
	}
}
