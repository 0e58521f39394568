package main

import (
	"context"
	"fmt"
	"time"
)

// job is what a server does in the background once it is told to.
type job struct {
	command       string
	running, runs string // fields of INFO: whether it runs, and how often it was begun
	status        string // of INFO: how it ended
}

var (
	saveJob    = job{"BGSAVE", "rdb_bgsave_in_progress", "rdb_saves", "rdb_last_bgsave_status"}
	rewriteJob = job{"BGREWRITEAOF", "aof_rewrite_in_progress", "aof_rewrites", "aof_last_bgrewrite_status"}
)

// run tells the server to do the job and waits until it is done.
func (j job) run(ctx context.Context, c *client) error {
	before, err := c.persistence(j.runs)
	if err != nil {
		return err
	}
	if _, err := c.do(j.command); err != nil {
		return err
	}
	for end := time.Now().Add(3 * patience); ; {
		if err := pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
		running, err := c.persistence(j.running)
		if err != nil {
			return err
		}
		runs, err := c.persistence(j.runs)
		if err != nil {
			return err
		}
		if running == 0 && runs > before {
			return c.succeeded(j)
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s does not end", j.command)
		}
	}
}

// succeeded says how a job ended, unless well.
func (c *client) succeeded(j job) error {
	text, err := c.info("persistence")
	if err != nil {
		return err
	}
	status, err := infoText(text, j.status)
	if err == nil && status != "ok" {
		err = fmt.Errorf("%s ended with %q", j.command, status)
	}
	return err
}

// persistence is a field of INFO persistence.
func (c *client) persistence(field string) (int64, error) {
	text, err := c.info("persistence")
	if err != nil {
		return 0, err
	}
	return infoField(text, field)
}

// jobCost is what a job took.
type jobCost struct {
	cpu    float64       // seconds, of the server and its children, without load
	took   time.Duration // under load
	quiet  float64       // p99.9 under load without the job, ms
	during float64       // and while it ran
	worst  float64       // the longest that a client waited while it ran
	others float64
}

// costOfJob measures a job on a server that holds its keys: without load, and under load.
func costOfJob(ctx context.Context, s *server, j job) (c jobCost, err error) {
	if err := awaitCalm(ctx, []int{s.pid}); err != nil {
		return c, err
	}
	begun, err := s.cpuWithChildren()
	if err != nil {
		return c, err
	}
	if err := j.run(ctx, s.client); err != nil {
		return c, err
	}
	ended, err := s.cpuWithChildren()
	if err != nil {
		return c, err
	}
	c.cpu = (ended - begun).Seconds()
	c.others, err = observe([]int{s.pid}, func() error { return c.underLoad(ctx, s, j) })
	return c, err
}

// underLoad runs the job again and again while clients use other keys: as long as they were watched before, for one job is
// over before there are many of their rare waits. The first moments of the load do not count.
func (c *jobCost) underLoad(ctx context.Context, s *server, j job) error {
	const warm, quiet = 500 * time.Millisecond, 2 * time.Second
	type result struct {
		outcome
		err error
	}
	loaded, until := make(chan result, 1), make(chan struct{})
	begun := time.Now()
	go func() {
		out, err := drive(ctx, load{addr: s.addr, connections: 50, pipeline: 1, until: until, script: usage(s.kind)})
		loaded <- result{out, err}
	}()
	err := pause(ctx, warm+quiet)
	started := time.Since(begun)
	ended, runs := started, 0
	for ; err == nil && ended < started+quiet; runs++ {
		err = j.run(ctx, s.client)
		ended = time.Since(begun)
	}
	close(until)
	out := <-loaded
	if err != nil {
		return err
	}
	before, during := within(out.timings, warm, started), within(out.timings, started, ended)
	c.took = (ended - started) / time.Duration(runs)
	c.quiet, c.during = inMs(percentile(before, 0.999)), inMs(percentile(during, 0.999))
	c.worst = inMs(percentile(during, 1))
	return out.err
}

// cpuWithChildren is the processor time of a server and of the children that it has waited for.
func (s *server) cpuWithChildren() (time.Duration, error) {
	own, err := cpu(s.pid)
	if err != nil {
		return 0, err
	}
	children, err := childrenCPU(s.pid)
	return own + children, err
}
