package backend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"cellserver/cmd/cellserver/app"
	"cellserver/envoy/count"
	"cellserver/httpapi/line"
	"cellserver/internal/config/configload"
	"cellserver/resp"
)

// EmbeddedOptions are those of an engine in this process.
type EmbeddedOptions struct {
	Dir string // keeps the counters; empty: in memory
	// Directives are more directives of cellserver, as on its command line. With cluster-nodes the engine
	// is a node of a cluster. It then listens for the other nodes and for clients.
	Directives []string
	Log        *slog.Logger
	Now        func() time.Time // nil: the clock of the machine
	Ended      func()           // called when the engine has ended, also by itself; may be nil
}

// embedded counts in an engine of this process.
type embedded struct {
	planner
	app       *app.App
	inCluster bool
	auth      string                   // of the other nodes
	leader    atomic.Pointer[overRESP] // asks the node that led last; nil for none

	stop  context.CancelFunc
	ended chan struct{}
	err   error // of the engine, once ended is closed
	ready atomic.Bool
}

// Embedded starts an engine in this process. It counts when its data is loaded.
func Embedded(o EmbeddedOptions) (count.Counter, error) {
	args := []string{"--save", ""}
	if o.Dir != "" {
		args = append(args, "--dir", o.Dir)
	}
	cfg, warnings, err := configload.Load(append(args, o.Directives...), nil, os.ReadFile)
	if err != nil {
		return nil, err
	}
	inCluster := len(cfg.Cluster.Nodes) > 0
	if inCluster && o.Dir == "" {
		return nil, errors.New("a node of a cluster needs a directory for its log")
	}
	cfg.AppendOnly = o.Dir != "" && !inCluster
	e := &embedded{planner: planner{now: o.Now}, ended: make(chan struct{})}
	if e.now == nil {
		e.now = time.Now
	}
	e.app, err = app.New(app.Options{
		Config: cfg, Warnings: warnings, Log: o.Log, Embedded: !inCluster,
		Notify: func(state string) error { e.ready.Store(state == "READY=1"); return nil },
	})
	if err != nil {
		return nil, err
	}
	e.inCluster, e.auth = inCluster, cfg.RequirePass
	ctx, stop := context.WithCancel(context.Background())
	e.stop = stop
	go func() {
		e.err = e.app.Run(ctx)
		close(e.ended)
		if o.Ended != nil {
			o.Ended()
		}
	}()
	return e, nil
}

// Count implements [count.Counter].
func (e *embedded) Count(ctx context.Context, r count.Request) ([]count.Result, error) {
	if err := e.Ready(); err != nil {
		return nil, err
	}
	if !e.inCluster {
		return e.count(ctx, &r)
	}
	ctx, cancel := inTime(ctx, patience)
	defer cancel()
	r.Hits = slices.Clone(r.Hits) // the caller may leave before the cluster has answered
	type outcome struct {
		results []count.Result
		err     error
	}
	done := make(chan outcome, 1)
	go func() {
		results, err := e.count(ctx, &r)
		done <- outcome{results, err}
	}()
	select {
	case o := <-done:
		return o.results, o.err
	case <-ctx.Done():
		return nil, fmt.Errorf("the cluster does not answer: %w", ctx.Err())
	}
}

// count runs the commands of a request.
func (e *embedded) count(ctx context.Context, r *count.Request) ([]count.Result, error) {
	plan, err := e.plan(r, e.inCluster)
	if err != nil {
		return nil, err
	}
	return e.askAll(ctx, r, plan, e.run)
}

// run runs a command in the engine. If another node leads, the command goes there.
func (e *embedded) run(
	ctx context.Context, r *count.Request, c *command, to []answer,
) (refused bool, err error) {
	err = e.app.Commands().Do(ctx, c.args(r), func(reply resp.Reply) {
		refused = readAnswers(reply.Int, c.charge, to)
	})
	problem, replied := errors.AsType[line.Refused](err)
	switch {
	case replied && e.inCluster && strings.HasPrefix(string(problem), "MOVED "):
		leader, err := e.leaderAt(ctx, string(problem))
		if err != nil {
			return false, err
		}
		return leader.run(ctx, r, c, to)
	case err != nil:
		return false, fmt.Errorf("the engine: %w", err)
	}
	return refused, nil
}

// leaderAt returns a connection to the node that an error names: "MOVED slot address". The command has done
// nothing.
func (e *embedded) leaderAt(ctx context.Context, moved string) (*overRESP, error) {
	address := moved[strings.LastIndexByte(moved, ' ')+1:]
	for {
		last := e.leader.Load()
		if last != nil && last.options.InitAddress[0] == address {
			return last, last.await(ctx)
		}
		next := newOverRESP(RESPOptions{URL: address, Auth: e.auth, Now: e.now})
		if e.leader.CompareAndSwap(last, next) {
			if last != nil {
				go last.close() // its calls end with errors
			}
			return next, next.await(ctx)
		}
		go next.close() // another call was faster, and may ask another node
	}
}

// readAnswers reads the reply of CL.MWINDOW by its integers and lengths, from the first to the last.
func readAnswers(next func() int64, charge bool, answers []answer) (refused bool) {
	next() // the length of the reply
	refused = next() != 0 && !charge
	next() // the first window that refuses
	for i := range answers {
		next() // the length of the answer
		answers[i].limited = next() != 0
		next() // the limit
		answers[i].remaining = next()
		answers[i].retry = time.Duration(next()) * time.Millisecond
		answers[i].reset = time.Duration(next()) * time.Millisecond
	}
	return refused
}

// Ready implements [count.Counter].
func (e *embedded) Ready() error {
	select {
	case <-e.ended:
		return fmt.Errorf("the engine has ended: %w", cmp.Or(e.err, errors.New("SHUTDOWN")))
	default:
	}
	if !e.ready.Load() {
		return errors.New("the engine loads its data")
	}
	return nil
}

// Close implements [count.Counter]. It waits until the data is on the disk.
func (e *embedded) Close() error {
	e.stop()
	<-e.ended
	if leader := e.leader.Load(); leader != nil {
		leader.close()
	}
	return e.err
}
