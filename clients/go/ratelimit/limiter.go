package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"golang.org/x/time/rate"
)

// Options are the choices of a user. The zero value has all defaults.
type Options struct {
	// Timeout bounds the wait for a decision; 250 ms by default.
	Timeout time.Duration
	// FailClosed refuses actions while the limiter does not answer. By default they are allowed: the limiter fails open.
	FailClosed bool
	// Denials is how many refusals the limiter remembers; 10,000 by default. With -1 it remembers no refusal, and tests that
	// set the clock of the server need that.
	Denials int
	// Lease lets the process decide about hot keys itself, from units that it takes in advance. It serves
	// actions that one rule without a scope counts. No limit is exceeded. Denials is then also how many keys
	// the limiter remembers.
	Lease bool
	// OnError is called for each action without a decision. By default the limiter logs one of them every 10 seconds.
	OnError func(error)
}

// A Question is a rule and the key that it limits. A rule with scopes needs a question for each scope,
// such as llm@org and llm@user.
type Question struct{ Rule, Key string }

// A Limiter asks the rules of a server.
type Limiter struct {
	rdb     redis.UniversalClient
	options Options
	denials denials
	leases  *leases // nil without Lease
	now     func() time.Time
}

// Connect returns a client for a URL, such as redis://:secret@10.0.0.5:6379. The client keeps to the time-out of the limiter. It does
// not send a command again, because the server may have counted it.
func Connect(url string) (*redis.Client, error) {
	options, err := clientOptions(url)
	if err != nil {
		return nil, err
	}
	return redis.NewClient(options), nil
}

// Dial returns a limiter that asks the server of a URL over a client of [Connect].
func Dial(url string, options Options) (*Limiter, error) {
	rdb, err := Connect(url)
	if err != nil {
		return nil, err
	}
	return New(rdb, options)
}

// errURL is in the place of an error that repeats the password of a URL, or a part of it.
var errURL = errors.New("ratelimit: this is no URL: write redis://user:password@host:port, " +
	"and write / ? # % of a password as %2F %3F %23 %25")

func clientOptions(text string) (*redis.Options, error) {
	options, err := redis.ParseURL(text)
	if u, wrong := url.Parse(text); err != nil && (wrong != nil || strings.Contains(u.RequestURI(), "@")) {
		return nil, errURL // such as of redis://user:se/cret@host, whose path has a part of the password
	}
	if err != nil {
		return nil, fmt.Errorf("ratelimit: %w", err)
	}
	options.ContextTimeoutEnabled, options.MaxRetries, options.DialerRetries = true, -1, 1
	return options, nil
}

// errTimeout says how a client keeps to the time-out.
var errTimeout = errors.New("ratelimit: set ContextTimeoutEnabled in the options of the client: it ignores the time-out without it")

// New returns a limiter that asks over a client of [Connect]. Another client must have ContextTimeoutEnabled.
func New(rdb redis.UniversalClient, options Options) (*Limiter, error) {
	switch {
	case rdb == nil:
		return nil, errors.New("ratelimit: the client is nil")
	case !keepsTimeout(rdb):
		return nil, errTimeout
	case options.Timeout < 0:
		return nil, fmt.Errorf("ratelimit: Timeout is above 0, or 0 for 250 ms, not %v", options.Timeout)
	case options.Denials < -1:
		return nil, fmt.Errorf("ratelimit: Denials is -1, or a number from 0, not %d", options.Denials)
	case options.Lease && options.Denials == -1:
		return nil, errors.New("ratelimit: Lease remembers refusals: leave out Denials, or Lease")
	}
	if options.Timeout == 0 {
		options.Timeout = 250 * time.Millisecond
	}
	if options.Denials == 0 {
		options.Denials = 10_000
	}
	if options.OnError == nil {
		sometimes := rate.Sometimes{Interval: 10 * time.Second}
		options.OnError = func(err error) {
			sometimes.Do(func() { slog.Error("the rate limiter did not decide", "error", err) })
		}
	}
	l := &Limiter{rdb: rdb, options: options, denials: newDenials(options.Denials), now: time.Now}
	if options.Lease {
		l.leases = newLeases(l)
	}
	return l, nil
}

// keepsTimeout reports whether a client ends a command at the deadline of its context.
func keepsTimeout(rdb redis.UniversalClient) bool {
	switch c := rdb.(type) {
	case *redis.Client:
		return c.Options().ContextTimeoutEnabled
	case *redis.ClusterClient:
		return c.Options().ContextTimeoutEnabled
	case *redis.Ring:
		return c.Options().ContextTimeoutEnabled
	}
	return true
}

// ErrQuantity is the error of [Limiter.AskFor] for a negative quantity. It would give back what other actions have taken.
var ErrQuantity = errors.New("ratelimit: the quantity of an action is negative")

// ErrRule is the error of [Limiter.AskFor] without the name of a rule.
var ErrRule = errors.New("ratelimit: a question needs the name of a rule")

// Ask asks all rules about one action. Either all rules allow the action and count it, or no rule counts it.
//
// If the server does not decide in time, the limiter calls OnError and allows the action. With FailClosed it returns the error.
func (l *Limiter) Ask(ctx context.Context, questions ...Question) (Decision, error) {
	return l.AskFor(ctx, 1, questions...)
}

// AskFor asks as Ask does, about an action that takes a quantity. A quantity of 0 counts nothing, and a
// negative one is [ErrQuantity]. Without the name of a rule the error is [ErrRule].
func (l *Limiter) AskFor(ctx context.Context, quantity int64, questions ...Question) (Decision, error) {
	var wrong error // of the service itself, so it does not fail open
	switch {
	case quantity < 0:
		wrong = ErrQuantity
	case len(questions) == 0 || slices.ContainsFunc(questions, func(q Question) bool { return q.Rule == "" }):
		wrong = ErrRule
	}
	if wrong != nil {
		l.options.OnError(wrong)
		return Decision{}, wrong
	}
	if l.mayLease(quantity, questions) {
		return l.leases.ask(ctx, questions[0], quantity)
	}
	args, name := command(questions, quantity)
	now := l.now()
	if d, ok := l.denials.find(name, quantity, now, l.options.Timeout); ok {
		return d, nil
	}
	reply, err := l.do(context.WithoutCancel(ctx), 3, args)
	var d Decision
	if err == nil {
		d, _, err = readDecision(reply, args[2:])
	}
	switch {
	case err != nil:
		l.denials.remove(name, quantity)
		return l.noDecision(err)
	case d.Allowed:
		l.denials.remove(name, quantity)
	default:
		l.denials.add(name, quantity, d, now)
	}
	return d, nil
}

// command returns CL.MCHECK with the questions, and a name for them. CL.MCHECK also serves for one rule, so that there is one form
// of reply.
func command(questions []Question, quantity int64) (args []any, name string) {
	args = []any{"CL.MCHECK", len(questions)}
	for _, q := range questions {
		args = append(args, q.Rule, shorten(q.Key))
	}
	return append(args, "QUANTITY", quantity, "EXPLAIN", "MS"), fmt.Sprintf("%q", args[2:])
}

// noDecision returns what an action gets about which nobody decides.
func (l *Limiter) noDecision(err error) (Decision, error) {
	l.options.OnError(err)
	if l.options.FailClosed {
		return Decision{}, err
	}
	return Decision{Allowed: true}, nil
}

// do sends a command whose first key has a position. The context must not end with the client: the server
// counts an action also if its client leaves meanwhile.
func (l *Limiter) do(ctx context.Context, key int8, args []any) ([]any, error) {
	ctx, cancel := context.WithTimeout(ctx, l.options.Timeout)
	defer cancel()
	cmd := redis.NewSliceCmd(ctx, args...)
	cmd.SetFirstKeyPos(key)
	if err := l.rdb.Process(ctx, cmd); err != nil {
		return nil, fmt.Errorf("ratelimit: %w", err)
	}
	return cmd.Val(), nil
}
