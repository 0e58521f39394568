package server

import (
	"context"
	"fmt"
	"time"
)

// Job is a background job that a command starts.
type Job struct {
	Command       string
	running, Runs string // fields of INFO: whether the job runs, and how often a job has started
	status        string // field of INFO: the result of the last job
}

var (
	SaveJob    = Job{"BGSAVE", "rdb_bgsave_in_progress", "rdb_saves", "rdb_last_bgsave_status"}
	RewriteJob = Job{"BGREWRITEAOF", "aof_rewrite_in_progress", "aof_rewrites", "aof_last_bgrewrite_status"}
)

// Run starts the job and waits for its end.
func (j Job) Run(ctx context.Context, c *Client) error {
	before, err := c.Persistence(j.Runs)
	if err != nil {
		return err
	}
	if _, err := c.Do(j.Command); err != nil {
		return err
	}
	for end := time.Now().Add(3 * patience); ; {
		if err := Pause(ctx, 10*time.Millisecond); err != nil {
			return err
		}
		running, err := c.Persistence(j.running)
		if err != nil {
			return err
		}
		runs, err := c.Persistence(j.Runs)
		if err != nil {
			return err
		}
		if running == 0 && runs > before {
			return c.succeeded(j)
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s does not end", j.Command)
		}
	}
}

// succeeded returns an error if the last job failed.
func (c *Client) succeeded(j Job) error {
	text, err := c.info("persistence")
	if err != nil {
		return err
	}
	status, err := infoText(text, j.status)
	if err == nil && status != "ok" {
		err = fmt.Errorf("%s ended with %q", j.Command, status)
	}
	return err
}

// Persistence returns an integer field of INFO persistence.
func (c *Client) Persistence(field string) (int64, error) {
	text, err := c.info("persistence")
	if err != nil {
		return 0, err
	}
	return infoField(text, field)
}

// CPUWithChildren returns the processor time of a server and of the children that it has waited for.
func (s *Server) CPUWithChildren() (time.Duration, error) {
	own, err := CPU(s.PID)
	if err != nil {
		return 0, err
	}
	children, err := childrenCPU(s.PID)
	return own + children, err
}
