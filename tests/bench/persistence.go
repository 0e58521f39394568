package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// persistence measures what it costs to keep everything on disk, and how soon it is back.
func persistence(ctx context.Context, o options) ([]section, error) {
	cost, err := costOfPolicies(ctx, o)
	if err != nil {
		return nil, err
	}
	jobs := table{numbers: 8, head: []string{"server", "job", "keys", "CPU s", "seconds", "p99.9 quiet", "p99.9 during", "worst", "p99.9, ×", "others"}}
	loads := table{numbers: 3, head: []string{"server", "from", "keys", "seconds", "keys a second"}}
	for _, k := range peers(o) {
		kept, err := keep(ctx, o, k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.name, err)
		}
		keys := thousands(float64(o.keys))
		for _, c := range kept.jobs {
			m := c.middle()
			jobs.add(k.name, c.job.command, keys, fmt.Sprintf("%.2f", m.cpu), fmt.Sprintf("%.2f", m.took.Seconds()), milliseconds(m.quiet),
				milliseconds(m.during), milliseconds(m.worst), fmt.Sprintf("%.2f", m.during/m.quiet), percent(m.others))
		}
		for _, l := range kept.loads {
			loads.add(k.name, l.from, keys, fmt.Sprintf("%.2f", medianOf(l.took, time.Duration.Seconds)), thousands(median(l.rates(o.keys))))
		}
	}
	return []section{cost, {
		id: "rewrite", heading: "Snapshots and rewrites", table: jobs,
		notes: `Throttle keys of 16 bytes (of Redis: strings that expire), and 100,000 others among them, with --appendonly yes and appendfsync everysec. CPU is the processor
time of the job without load, that of a forked child included. Then 50 clients use the others without pipelines, by CL.THROTTLE (of
Redis: SET): how long the job takes on the one core that it shares with them, again and again for two seconds, their p99.9 in the
two seconds before and in those, and the longest that one waited, in ms. Medians.`,
	}, {
		id: "load", heading: "Loading", table: loads,
		notes: `The time until a server answers, less that of an empty one, where it finds the log of the commands that made those keys, and
where the log was rewritten. Medians.`,
	}}, nil
}

// kept is what was measured of a server that keeps its keys.
type kept struct {
	jobs  []jobCosts
	loads []loading
}

// jobCosts are the measurements of a job.
type jobCosts struct {
	job
	costs []jobCost
}

// loading is how long a server took to load its keys, each time.
type loading struct {
	from string
	took []time.Duration
}

// of are the measurements of one job.
func (k *kept) of(j job) []jobCost {
	i := slices.IndexFunc(k.jobs, func(c jobCosts) bool { return c.job == j })
	return k.jobs[i].costs
}

// rates are keys a second.
func (l *loading) rates(keys int) []float64 {
	return values(l.took, func(d time.Duration) float64 { return float64(keys) / d.Seconds() })
}

// keep fills a server that keeps its keys, loads them, and snapshots and rewrites them.
func keep(ctx context.Context, o options, k kind) (found kept, err error) {
	k.keeps = logged("everysec")
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return found, err
	}
	defer os.RemoveAll(dir)
	empty, err := startTimes(ctx, o, k, dir, 0)
	if err != nil {
		return found, err
	}
	if err := inFolder(ctx, o, k, dir, func(s *server) error { return fillKept(ctx, o, s) }); err != nil {
		return found, err
	}
	if err := found.load(ctx, o, k, dir, "the log", empty); err != nil {
		return found, err
	}
	err = inFolder(ctx, o, k, dir, func(s *server) (err error) {
		found.jobs, err = costsOfJobs(ctx, o, s)
		return err
	})
	if err != nil {
		return found, err
	}
	return found, found.load(ctx, o, k, dir, "a rewritten log", empty)
}

// load measures the loading of what a folder holds, to which an empty server's start does not belong.
func (found *kept) load(ctx context.Context, o options, k kind, dir, from string, empty []time.Duration) error {
	all, err := startTimes(ctx, o, k, dir, keptKeys(o)+keyspace)
	for i := range all {
		all[i] -= time.Duration(medianOf(empty, func(d time.Duration) float64 { return float64(d) }))
	}
	say("%-10s loads %s in %v", k.name, from, all)
	found.loads = append(found.loads, loading{from, all})
	return err
}

// keptKeys is how many throttle keys there are beside those that clients use.
func keptKeys(o options) int { return max(1, o.keys-keyspace) }

// fillKept makes the keys that are kept.
func fillKept(ctx context.Context, o options, s *server) error {
	if _, err := drive(ctx, manyKeys(s.kind, s.addr, "kept", keptKeys(o))); err != nil {
		return err
	}
	return fillUsed(ctx, s)
}

// inFolder starts a server in a folder, does something with it, and ends it.
func inFolder(ctx context.Context, o options, k kind, dir string, do func(*server) error) error {
	s, err := k.startIn(ctx, o.core, dir)
	if err != nil {
		return err
	}
	defer s.stop()
	return do(s)
}

// startTimes are how long a server takes until it answers, with as many keys as it must find in a folder.
func startTimes(ctx context.Context, o options, k kind, dir string, keys int) (all []time.Duration, err error) {
	for range o.repeats {
		if err := awaitCalm(ctx, nil); err != nil {
			return nil, err
		}
		begun := time.Now()
		err := inFolder(ctx, o, k, dir, func(s *server) error {
			all = append(all, time.Since(begun))
			return s.holds(keys)
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// costsOfJobs measures the jobs in turn; the log is rewritten last.
func costsOfJobs(ctx context.Context, o options, s *server) ([]jobCosts, error) {
	all := []jobCosts{{job: saveJob}, {job: rewriteJob}}
	for range o.repeats {
		for i := range all {
			c, err := leastDisturbed(func() (jobCost, error) { return costOfJob(ctx, s, all[i].job) })
			if err != nil {
				return nil, err
			}
			say("%-10s %-12s %.2f s CPU, p99.9 %.2f ms then %.2f ms", s.name, all[i].command, c.cpu, c.quiet, c.during)
			all[i].costs = append(all[i].costs, c)
		}
	}
	return all, nil
}

// middle is the median of each measure, but the most that others did.
func (j *jobCosts) middle() (m jobCost) {
	of := func(field func(jobCost) float64) float64 { return medianOf(j.costs, field) }
	return jobCost{
		cpu:    of(func(c jobCost) float64 { return c.cpu }),
		took:   time.Duration(of(func(c jobCost) float64 { return float64(c.took) })),
		quiet:  of(func(c jobCost) float64 { return c.quiet }),
		during: of(func(c jobCost) float64 { return c.during }),
		worst:  of(func(c jobCost) float64 { return c.worst }),
		others: largest(j.costs, jobCost.disturbed),
	}
}
