package replica

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Options are what a link is made of.
type Options struct {
	Host string
	Port int
	// Dial opens a connection to the master.
	Dial func(ctx context.Context) (net.Conn, error)
	// Auth returns masteruser and masterauth. It may be nil.
	Auth          func() (user, password string)
	ListeningPort int                  // of this server, for the master's INFO
	Timeout       func() time.Duration // repl-timeout
	MaxCommand    int                  // bytes of one command
	Clock         Clock
	Log           *slog.Logger
	Target        Target
	From          Position         // where to continue
	LeftOut       map[string]int64 // what was left out before
}

// Clock is the time of the server.
type Clock interface {
	Now() int64
	Monotonic() int64
}

// Link follows a master.
type Link struct {
	o      Options
	cancel context.CancelFunc
	done   chan struct{}

	safe        atomic.Int64 // the offset up to which all is safe
	connectedAt int64        // when the last session began to follow, in monotonic nanoseconds
	differs     bool         // the log says that the clocks differ

	mu    sync.Mutex // guards state
	state State
}

// New returns a link that does nothing yet.
func New(o Options) *Link {
	l := &Link{o: o, done: make(chan struct{})}
	l.state = State{
		Host: o.Host, Port: o.Port, Phase: Waiting, Position: o.From, Read: o.From.Offset,
		DownFrom: o.Clock.Monotonic(), LeftOut: maps.Clone(o.LeftOut),
	}
	return l
}

// Start begins to follow the master, and returns at once.
func (l *Link) Start() {
	var ctx context.Context
	ctx, l.cancel = context.WithCancel(context.Background())
	go l.run(ctx)
}

// Close ends the link. It returns when no further command runs. The position is then final. A second Close
// does nothing.
func (l *Link) Close() {
	l.cancel()
	<-l.done
}

// Done returns a channel that is closed when the link is closed or stops.
func (l *Link) Done() <-chan struct{} { return l.done }

// State returns what the link is doing.
func (l *Link) State() State {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.state
	s.LeftOut = maps.Clone(s.LeftOut)
	return s
}

// maxNames bounds the names of what is left out: the master may send any names.
const maxNames = 64

// LeftOut counts a part of the data that cannot be kept here. It reports whether the part is the first one of
// its name.
func (l *Link) LeftOut(what string, n int64) (first bool) {
	l.note(func(st *State) {
		if st.LeftOut == nil {
			st.LeftOut = map[string]int64{}
		}
		if _, known := st.LeftOut[what]; !known && len(st.LeftOut) >= maxNames {
			what = "others"
		}
		first = st.LeftOut[what] == 0
		st.LeftOut[what] += n
	})
	return first
}

// note changes the state.
func (l *Link) note(change func(*State)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.state)
}

func (l *Link) enter(p Phase) {
	l.note(func(st *State) {
		if st.Phase == Connected && p != Connected {
			st.DownFrom = l.o.Clock.Monotonic()
		}
		if st.Phase = p; p == Connected {
			st.Failed = ""
		}
	})
}

// reached notes that all commands up to a position have run.
func (l *Link) reached(at Position) {
	l.note(func(st *State) { st.Position = at })
}

// The pauses between two sessions. Each one is twice the one before, until a session follows the master for
// maxPause.
const (
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Second
)

// run follows the master until the link is closed or stops.
func (l *Link) run(ctx context.Context) {
	defer close(l.done)
	said := ""
	for pause := firstPause; ctx.Err() == nil; pause = min(2*pause, maxPause) {
		err := l.session(ctx)
		if ctx.Err() != nil {
			return
		}
		up := l.State().Phase == Connected
		held := up && l.o.Clock.Monotonic()-l.connectedAt >= int64(maxPause)
		_, stopped := errors.AsType[*Stop](err)
		l.enter(Waiting)
		l.note(func(st *State) { st.Failed, st.Stopped = err.Error(), stopped })
		switch {
		case stopped:
			l.o.Log.Error("the move has stopped, and this server stays read-only: correct what the error "+
				"names and send REPLICAOF again, or end it by REPLICAOF NO ONE",
				"master", l.address(), "error", err)
			return
		case up || err.Error() != said:
			l.o.Log.Warn("the link to the master is down, the server tries again",
				"master", l.address(), "error", err)
		}
		if said = err.Error(); held {
			pause = firstPause
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

func (l *Link) address() string { return net.JoinHostPort(l.o.Host, strconv.Itoa(l.o.Port)) }

// session follows the master over one connection.
func (l *Link) session(ctx context.Context) error {
	l.enter(Connecting)
	ctx, end := context.WithCancel(ctx)
	defer end()
	dialing, cancel := context.WithTimeout(ctx, l.o.Timeout())
	conn, err := l.o.Dial(dialing)
	cancel()
	if err != nil {
		return fmt.Errorf("no connection to the master: %w%s", err, advice(err))
	}
	s := &session{l: l, o: &l.o, conn: conn}
	s.r = newReader(s, l.o.MaxCommand)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		s.watch(ctx)
	}()
	err = s.run(ctx)
	end()
	<-watched
	l.o.Target.Rest()
	return err
}
