package replica

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// since is the monotonic clock of a test.
type since struct{ time.Time }

func (s since) Now() int64       { return time.Now().UnixNano() }
func (s since) Monotonic() int64 { return int64(time.Since(s.Time)) + 1 }

// notes is a target that notes what it gets.
type notes struct {
	copies  []string
	applied []string
	db      int
	refuse  string // a command that it refuses for good
	begun   []int
}

func (n *notes) Replace(_ context.Context, in io.Reader, _ *Position, loaded func(int64)) error {
	b, err := io.ReadAll(in)
	if err == nil {
		n.copies = append(n.copies, string(b))
		loaded(int64(len(b)))
	}
	return err
}

func (n *notes) Begin(db int) { n.db, n.begun = db, append(n.begun, db) }

func (n *notes) Apply(_ context.Context, args [][]byte, _ Position) error {
	var words []string
	for _, a := range args {
		words = append(words, string(a))
	}
	text := strings.Join(words, " ")
	if text == n.refuse {
		return &Stop{errors.New("no " + text)}
	}
	if words[0] == "SELECT" {
		_, _ = fmt.Sscan(words[1], &n.db)
	}
	n.applied = append(n.applied, text)
	return nil
}

func (n *notes) Rest() bool { return true }
func (n *notes) DB() int    { return n.db }

// fake is a master. Each connection of the link is one call of its script.
type fake struct {
	net.Conn
	in   *bufio.Reader
	time int64 // what TIME replies, in Unix seconds; 0: it is not understood
}

// command returns the next command of the link, but no confirmation.
func (f *fake) command() (string, error) {
	r := newReader(f.in, 1<<20)
	r.in = f.in
	for {
		args, err := r.command()
		if err != nil {
			return "", err
		}
		var words []string
		for _, a := range args {
			words = append(words, string(a))
		}
		if text := strings.Join(words, " "); len(words) > 0 && !strings.HasPrefix(text, "REPLCONF ACK") {
			return text, nil
		}
	}
}

// greeted answers the handshake, and returns the words of PSYNC.
func (f *fake) greeted() string {
	for {
		text, err := f.command()
		switch {
		case err != nil:
			return ""
		case strings.HasPrefix(text, "PSYNC"):
			return text
		case strings.HasPrefix(text, "INFO"):
			const keys = "# Keyspace\r\ndb0:keys=7,expires=0,avg_ttl=0\r\ndb3:keys=2,expires=0,avg_ttl=0\r\n"
			fmt.Fprintf(f, "$%d\r\n%s\r\n", len(keys), keys)
		case text == "TIME" && f.time != 0:
			fmt.Fprintf(f, "*2\r\n$10\r\n%d\r\n$6\r\n123456\r\n", f.time)
		default:
			fmt.Fprint(f, "+OK\r\n")
		}
	}
}

const history = "0123456789012345678901234567890123456789"

// resp returns a command in the form of the protocol.
func resp(words ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	return b.String()
}

// follow runs a link against a master with a script for each connection. check runs after nine seconds of the
// bubble.
func follow(t *testing.T, o Options, target *notes, check func(l *Link), scripts ...func(f *fake)) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		o.Host, o.Port, o.Clock, o.Target = "master", 6379, since{time.Now()}, target
		if o.Log == nil {
			o.Log = slog.New(slog.DiscardHandler)
		}
		if o.Timeout == nil {
			o.Timeout = func() time.Duration { return time.Minute }
		}
		o.MaxCommand = 1 << 20
		o.Dial = func(ctx context.Context) (net.Conn, error) {
			if n == len(scripts) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			here, there := net.Pipe()
			script := scripts[n]
			n++
			go func() {
				defer there.Close()
				script(&fake{Conn: there, in: bufio.NewReader(there)})
			}()
			return here, nil
		}
		l := New(o)
		l.Start()
		defer l.Close()
		time.Sleep(9 * time.Second)
		synctest.Wait()
		check(l)
	})
}

// stay reads what the link sends until the end.
func (f *fake) stay() { _, _ = io.Copy(io.Discard, f.in) }

// sent returns how many bytes the link sends in a time.
func (f *fake) sent(d time.Duration) int64 {
	_ = f.SetReadDeadline(time.Now().Add(d))
	n, _ := io.Copy(io.Discard, f.in)
	_ = f.SetReadDeadline(time.Time{})
	return n
}
