package adaptive

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/time/rate"
)

// Options are the choices of a user. The zero value has all defaults.
type Options struct {
	// Lease is how long a permit lasts whose caller has crashed; 60 seconds by default. It must be longer
	// than a call may take.
	Lease time.Duration
	// Timeout bounds the wait for the limiter; 250 ms by default.
	Timeout time.Duration
	// Ceiling is how many calls of this process may be under way while the limiter does not answer; 20 by
	// default.
	Ceiling int
	// Words are the options of CL.ENTER, such as BETWEEN 5 200. All callers of a key have the same ones.
	Words []any
	// OnError is called for each call about which the limiter did not decide. By default it logs one of them
	// every 10 seconds.
	OnError func(error)
}

// Outcome says how a call ended.
type Outcome string

// The outcomes.
const (
	OK     Outcome = "OK"     // an answer, also one with an error of the service
	Drop   Outcome = "DROP"   // a timeout, or a service that is overloaded
	Ignore Outcome = "IGNORE" // an error of the caller, or an answer of a cache
)

// ErrFull is the error of a call that must not begin: as many calls as the limit are under way. Do not retry
// at once.
var ErrFull = errors.New("adaptive: as many calls as the limit are under way")

// A Limit lets calls of one service begin.
type Limit struct {
	rdb     redis.UniversalClient
	key     string
	options Options
	process string // begins the names of the holders of this process
	calls   atomic.Int64
	local   atomic.Int64 // calls under way without the server
	late    chan end     // the ends of calls that the server may not know
}

// mostLate is how many ends of calls wait for a server that answers.
const mostLate = 1000

// end is the CL.LEAVE of a call, which counts until the lease of the call ends.
type end struct {
	words []any
	until time.Time
}

// New returns the limit of a key. The client is one of [ratelimit.Connect], or another one with
// ContextTimeoutEnabled and without retries: a question that is sent twice takes one permit, because it has
// one holder.
func New(rdb redis.UniversalClient, key string, options Options) (*Limit, error) {
	switch {
	case rdb == nil:
		return nil, errors.New("adaptive: the client is nil")
	case key == "":
		return nil, errors.New("adaptive: the key is empty")
	case options.Lease < 0 || options.Timeout < 0 || options.Ceiling < 0:
		return nil, errors.New("adaptive: Lease, Timeout and Ceiling are above 0, or 0 for the default")
	}
	if options.Lease == 0 {
		options.Lease = time.Minute
	}
	if options.Timeout == 0 {
		options.Timeout = 250 * time.Millisecond
	}
	if options.Ceiling == 0 {
		options.Ceiling = 20
	}
	if options.OnError == nil {
		sometimes := rate.Sometimes{Interval: 10 * time.Second}
		options.OnError = func(err error) {
			sometimes.Do(func() { slog.Error("the adaptive limit did not decide", "error", err) })
		}
	}
	return &Limit{
		rdb: rdb, key: key, options: options, process: rand.Text() + ":", late: make(chan end, mostLate),
	}, nil
}

// A Call is a call of the service that is under way.
type Call struct {
	limit   *Limit
	holder  string
	local   bool // the server did not decide, but may have counted the call
	began   time.Time
	latency time.Duration // that Measured has set
	ended   atomic.Bool
}

// Enter asks whether a call may begin. The error is [ErrFull] if it must not. If the server does not answer,
// calls begin up to the local ceiling. The caller ends the call with [Call.Leave], in a defer statement.
func (l *Limit) Enter(ctx context.Context) (*Call, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	holder := l.process + strconv.FormatInt(l.calls.Add(1), 36)
	words := append([]any{"CL.ENTER", l.key, seconds(l.options.Lease), holder}, l.options.Words...)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.options.Timeout) // of all that Enter sends
	defer cancel()
	reply, err := l.ask(ctx, words)
	if err == nil && len(reply) == 0 {
		err = errors.New("adaptive: the reply of CL.ENTER is empty")
	}
	switch {
	case err != nil:
		l.options.OnError(err)
		return l.enterLocally(holder)
	}
	l.sendLate(ctx)
	if reply[0] != 0 {
		return nil, ErrFull
	}
	return &Call{limit: l, holder: holder, began: time.Now()}, nil
}

// enterLocally lets a call begin under the local ceiling.
func (l *Limit) enterLocally(holder string) (*Call, error) {
	c := &Call{limit: l, holder: holder, local: true, began: time.Now()}
	if l.local.Add(1) > int64(l.options.Ceiling) {
		c.Leave(Ignore)
		return nil, ErrFull
	}
	return c, nil
}

// Measured ends the time that the service has taken. Without it the time ends with Leave.
func (c *Call) Measured() { c.latency = max(time.Since(c.began), 1) }

// Leave ends the call, and reports the time since Enter. A second Leave does nothing.
func (c *Call) Leave(outcome Outcome) {
	if c.ended.Swap(true) {
		return
	}
	if c.latency == 0 {
		c.Measured()
	}
	l := c.limit
	ctx, cancel := context.WithTimeout(context.Background(), l.options.Timeout)
	defer cancel()
	words := []any{"CL.LEAVE", l.key, c.holder, seconds(c.latency), string(outcome)}
	if c.local {
		l.local.Add(-1)
		if len(l.late) >= mostLate/2 {
			return // the other half is for permits that the server has given
		}
	} else if _, err := l.ask(ctx, words); err == nil {
		return
	} else {
		l.options.OnError(err)
	}
	l.keepLate(end{words, c.began.Add(l.options.Lease)})
}

// keepLate keeps the end of a call for a server that answers. Without room the permit comes back at the end
// of its lease.
func (l *Limit) keepLate(e end) {
	select {
	case l.late <- e:
	default:
	}
}

// sendLate sends the ends that the server may not know. They come again if it does not answer.
func (l *Limit) sendLate(ctx context.Context) {
	var all []end
	for n := len(l.late); n > 0; n-- {
		select {
		case e := <-l.late:
			if time.Now().Before(e.until) {
				all = append(all, e)
			}
		default: // another call has taken them
		}
	}
	if len(all) == 0 {
		return
	}
	pipeline := l.rdb.Pipeline()
	sent := make([]*redis.Cmd, len(all))
	for i, e := range all {
		sent[i] = pipeline.Do(ctx, e.words...)
	}
	_, _ = pipeline.Exec(ctx) // each command has its own error
	for i, e := range all {
		if sent[i].Err() != nil {
			l.keepLate(e)
		}
	}
}

// ask sends a command whose reply is integers. The context has the time-out, and does not end with the client:
// the server counts a call also if its client leaves meanwhile.
func (l *Limit) ask(ctx context.Context, words []any) ([]int64, error) {
	cmd := redis.NewIntSliceCmd(ctx, words...)
	if err := l.rdb.Process(ctx, cmd); err != nil {
		return nil, fmt.Errorf("adaptive: %w", err)
	}
	return cmd.Val(), nil
}

// seconds writes a duration as a command has it.
func seconds(d time.Duration) string { return fmt.Sprintf("%d.%09d", d/time.Second, d%time.Second) }

// OutcomeOf returns the outcome of a call that ended with an error. A timeout is a drop. Any other error
// says nothing about how fast the service is.
func OutcomeOf(err error) Outcome {
	var late net.Error
	switch {
	case err == nil:
		return OK
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &late) && late.Timeout():
		return Drop
	}
	return Ignore
}
