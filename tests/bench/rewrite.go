package main

import (
	"context"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
)

// jobCost is the cost of one background job.
type jobCost struct {
	cpu    float64       // seconds of the server and its children, without load
	took   time.Duration // under load
	quiet  float64       // p99.9 under load without the job, ms
	during float64       // p99.9 under load while the job runs, ms
	worst  float64       // the longest wait of a client while the job runs, ms
	others float64
}

// costOfJob measures a job on a filled server, first without load, then under load.
func costOfJob(ctx context.Context, s *server.Server, j server.Job) (c jobCost, err error) {
	if err := server.AwaitCalm(ctx, []int{s.PID}); err != nil {
		return c, err
	}
	begun, err := s.CPUWithChildren()
	if err != nil {
		return c, err
	}
	if err := j.Run(ctx, s.Client); err != nil {
		return c, err
	}
	ended, err := s.CPUWithChildren()
	if err != nil {
		return c, err
	}
	c.cpu = (ended - begun).Seconds()
	c.others, err = server.Observe([]int{s.PID}, func() error { return c.underLoad(ctx, s, j) })
	return c, err
}

// underLoad measures clients for a while without the job, then for the same time with the job. One job ends before many
// of the rare waits happen, so the job runs again and again. The first moments of the load do not count.
func (c *jobCost) underLoad(ctx context.Context, s *server.Server, j server.Job) error {
	const warm, quiet = 500 * time.Millisecond, 2 * time.Second
	type result struct {
		load.Outcome
		err error
	}
	loaded, until := make(chan result, 1), make(chan struct{})
	begun := time.Now()
	go func() {
		out, err := load.Drive(ctx, load.Load{Addr: s.Addr, Connections: 50, Pipeline: 1, Until: until, Script: contest.Usage(s.Kind)})
		loaded <- result{out, err}
	}()
	err := server.Pause(ctx, warm+quiet)
	started := time.Since(begun)
	ended, runs := started, 0
	for ; err == nil && ended < started+quiet; runs++ {
		err = j.Run(ctx, s.Client)
		ended = time.Since(begun)
	}
	close(until)
	out := <-loaded
	if err != nil {
		return err
	}
	before, during := load.Within(out.Timings, warm, started), load.Within(out.Timings, started, ended)
	c.took = (ended - started) / time.Duration(runs)
	c.quiet, c.during = report.InMs(load.Percentile(before, 0.999)), report.InMs(load.Percentile(during, 0.999))
	c.worst = report.InMs(load.Percentile(during, 1))
	return out.err
}

func (c jobCost) Disturbed() float64 { return c.others }
