package replica

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// session is one connection to the master.
type session struct {
	l     *Link
	o     *Options
	conn  net.Conn
	r     *reader
	begin Position // where the stream begins

	sending  sync.Mutex   // held while a command is written
	awaiting atomic.Int64 // since when a read waits, in monotonic nanoseconds; 0 if none does
	silent   atomic.Bool  // the master was silent for too long
	arrives  atomic.Bool  // the copy has begun to arrive
	streams  atomic.Bool  // the copy is here: confirmations have a meaning
}

// Read implements io.Reader for the reader of the session.
func (s *session) Read(p []byte) (int, error) {
	s.awaiting.Store(s.o.Clock.Monotonic() | 1)
	n, err := s.conn.Read(p)
	s.awaiting.Store(0)
	if n > 0 {
		s.l.note(func(st *State) { st.LastIO = s.o.Clock.Monotonic() })
		return n, nil
	}
	if s.silent.Load() {
		err = errors.New("the master was silent for repl-timeout")
	}
	return 0, err
}

// send writes a command.
func (s *session) send(words ...string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(words))
	for _, w := range words {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(w), w)
	}
	return s.write(b.String())
}

func (s *session) write(text string) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	_, err := s.conn.Write([]byte(text))
	return err
}

// confirm tells the master how far the keys are safe.
func (s *session) confirm() error {
	return s.send("REPLCONF", "ACK", strconv.FormatInt(s.l.safe.Load(), 10))
}

// rest makes all that has run safe, up to an offset.
func (s *session) rest(offset int64) {
	if s.o.Target.Rest() {
		s.l.safe.Store(offset)
	}
}

// watch tells the master each second that the replica lives, and closes the connection if the master is
// silent for too long.
func (s *session) watch(ctx context.Context) {
	tick := time.Tick(time.Second)
	for ticks := 1; ; ticks++ {
		select {
		case <-ctx.Done():
			s.conn.Close()
			return
		case <-tick:
		}
		if since := s.awaiting.Load(); since != 0 && s.o.Clock.Monotonic()-since > int64(s.o.Timeout()) {
			s.silent.Store(true)
			s.conn.Close()
			return
		}
		if st := s.l.State(); st.Phase == Copying && ticks%5 == 0 {
			s.o.Log.Info("the full copy goes on",
				"percent", int(st.Copy.Percent()), "keys", st.Copy.Keys, "of", st.Copy.Of)
		}
		// A master that reads nothing fills its window. The write then waits, and the session ends by the
		// silence above or with its context.
		go s.live()
	}
}

// live sends one sign of life, unless the last one is still on its way. Before a copy there is none: a
// master begins it only when its replica has been silent for the repl-diskless-sync-delay of the master.
func (s *session) live() {
	if !s.arrives.Load() && !s.streams.Load() || !s.sending.TryLock() {
		return
	}
	s.sending.Unlock()
	if s.streams.Load() {
		_ = s.confirm() // the next read fails, too
		return
	}
	_ = s.write("\n")
}

// run follows the master until the connection breaks.
func (s *session) run(ctx context.Context) error {
	s.l.enter(Greeting)
	if err := s.greet(); err != nil {
		return err
	}
	full, err := s.psync()
	if err != nil {
		return err
	}
	if full {
		if err := s.copy(ctx); err != nil {
			return err
		}
	} else {
		s.o.Log.Info("the master continues where the link broke", "offset", s.begin.Offset)
	}
	s.o.Target.Begin(s.begin.DB)
	s.l.reached(s.begin)
	s.l.safe.Store(s.begin.Offset)
	s.streams.Store(true)
	s.l.connectedAt = s.o.Clock.Monotonic()
	s.l.enter(Connected)
	_ = s.confirm() // if it fails, so does a read, after the commands that have arrived
	return s.stream(ctx)
}

// copy takes a full copy.
func (s *session) copy(ctx context.Context) error {
	s.l.enter(Copying)
	copies := int64(0)
	s.l.note(func(st *State) {
		st.Copies++
		copies = st.Copies
	})
	s.o.Log.Info("the master makes a full copy", "replid", s.begin.ID, "offset", s.begin.Offset)
	if copies > 1 {
		s.o.Log.Warn("the master makes another full copy: if this repeats, raise its repl-backlog-size and "+
			"its client-output-buffer-limit replica", "copies", copies)
	}
	in, size, err := s.r.section()
	if err != nil {
		return err
	}
	s.arrives.Store(true)
	s.l.note(func(st *State) { st.Copy.Bytes, st.Copy.Read, st.Copy.Keys = size, 0, 0 })
	in.report = func(read int64) { s.l.note(func(st *State) { st.Copy.Read = read }) }
	err = s.o.Target.Replace(ctx, in, &s.begin, func(keys int64) {
		s.l.note(func(st *State) { st.Copy.Keys = keys })
	})
	if err != nil {
		return fmt.Errorf("the full copy failed, and nothing has changed here: %w", err)
	}
	return nil
}

// restBytes is how many bytes of commands run before they must be safe.
const restBytes = 256 << 10

// stream runs the commands of the master.
func (s *session) stream(ctx context.Context) error {
	target, at, queued := s.o.Target, s.begin, false
	base, rested := s.r.taken, s.r.taken
	for {
		args, err := s.r.command()
		if err != nil {
			return err
		}
		read := s.begin.Offset + s.r.taken - base
		s.l.note(func(st *State) { st.Read = read })
		asked := false
		switch name := word(args); {
		case len(args) == 0 || name == "PING":
		case name == "REPLCONF":
			asked = len(args) > 1 && strings.EqualFold(string(args[1]), "GETACK")
		default:
			if err := target.Apply(ctx, args, Position{ID: at.ID, Offset: read}); err != nil {
				if name == "EXEC" || name == "EVAL" || name == "EVALSHA" { // a part of it may have run
					s.l.reached(Position{})
				}
				return err
			}
			queued = name == "MULTI" || queued && name != "EXEC"
		}
		if !queued {
			at.Offset, at.DB = read, target.DB()
			s.l.reached(at)
		}
		if asked || s.r.rests() || s.r.taken-rested > restBytes {
			s.rest(at.Offset)
			rested = s.r.taken
		}
		if asked {
			_ = s.confirm()
		}
	}
}

// word returns the name of a command in capitals, "" for an empty line. A long name is cut, and the target
// refuses the command.
func word(args [][]byte) string {
	if len(args) == 0 {
		return ""
	}
	return string(bytes.ToUpper(args[0][:min(len(args[0]), 32)]))
}
