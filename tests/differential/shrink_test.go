package differential

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// replay runs steps from an empty keyspace and returns the first mismatch.
func (s *session) replay(proto int, steps []step) *mismatch {
	if err := s.begin(proto); err != nil {
		return &mismatch{note: err.Error()}
	}
	for _, st := range steps {
		if m := s.try(st); m != nil {
			return m
		}
	}
	return s.tryCheckpoint()
}

// try runs a step. A broken connection is a mismatch, because no command may close it.
func (s *session) try(st step) *mismatch {
	m, err := s.run(st)
	if err != nil {
		return &mismatch{step: st, note: err.Error()}
	}
	return m
}

func (s *session) tryCheckpoint() *mismatch {
	m, err := s.checkpoint()
	if err != nil {
		return &mismatch{note: err.Error()}
	}
	return m
}

// shrink removes every step that the mismatch does not need. It tries halves first, and ends if no step can go or the
// budget is used up.
func (s *session) shrink(proto int, steps []step, budget time.Duration) ([]step, *mismatch) {
	end := time.Now().Add(budget)
	last := s.replay(proto, steps)
	if last == nil {
		return steps, nil // an empty keyspace does not reproduce the mismatch
	}
	for size := len(steps) / 2; size > 0 && time.Now().Before(end); {
		removed := false
		for at := 0; at < len(steps) && time.Now().Before(end); {
			shorter := append(append([]step{}, steps[:at]...), steps[min(at+size, len(steps)):]...)
			if m := s.replay(proto, shorter); m != nil {
				steps, last, removed = shorter, m, true
			} else {
				at += size
			}
		}
		if !removed || size > 1 {
			size /= 2
		}
	}
	return steps, last
}

// script writes steps as lines for redis-cli, or for a reader.
func script(proto int, steps []step) string {
	var b strings.Builder
	fmt.Fprintf(&b, "FLUSHALL\nHELLO %d\n", proto)
	for _, st := range steps {
		switch {
		case st.args == nil:
			fmt.Fprintf(&b, "# %s later\n", st.advance)
		case st.conn > 0:
			fmt.Fprintf(&b, "%s  # on the second connection\n", quote(st.args))
		default:
			fmt.Fprintln(&b, quote(st.args))
		}
	}
	return b.String()
}

// quote writes a command in the form that redis-cli reads.
func quote(args []string) string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a
		if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return r <= ' ' || r >= 127 || strings.ContainsRune(`"'\#`, r)
		}) {
			words[i] = cliQuote(a)
		}
	}
	return strings.Join(words, " ")
}

// cliQuote escapes byte by byte, because redis-cli does not know \u.
func cliQuote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c >= ' ' && c < 127:
			b.WriteByte(c)
		default:
			b.WriteString(`\x` + strconv.FormatUint(uint64(c)+0x100, 16)[1:])
		}
	}
	b.WriteByte('"')
	return b.String()
}
