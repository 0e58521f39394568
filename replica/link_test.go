package replica

import (
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestGreeting: the link says what a replica of Redis says, in its order.
func TestGreeting(t *testing.T) {
	var said []string
	o := Options{ListeningPort: 6380, Auth: func() (string, string) { return "mover", "secret" }}
	follow(t, o, &notes{}, func(*Link) {}, func(f *fake) {
		for {
			text, err := f.command()
			if err != nil {
				return
			}
			said = append(said, text)
			fmt.Fprint(f, "-ERR no\r\n"[:9*btoi(strings.HasPrefix(text, "INFO") || text == "TIME")])
			if !strings.HasPrefix(text, "INFO") && text != "TIME" {
				fmt.Fprint(f, "+OK\r\n")
			}
		}
	})
	require.Equal(t, []string{"AUTH mover secret", "PING", "REPLCONF listening-port 6380", "REPLCONF capa eof capa psync2",
		"TIME", "INFO keyspace", "PSYNC ? -1"}, said[:7])
}

// TestClocksThatDiffer: the link warns once if the master has another time, and goes on. A second more or less is no
// difference.
func TestClocksThatDiffer(t *testing.T) {
	for by, warnings := range map[time.Duration]int{
		0: 0, 2 * time.Second: 0, -2 * time.Second: 0, time.Hour: 1, -time.Hour: 1, -100 * 365 * 24 * time.Hour: 1,
	} {
		var printed strings.Builder
		script := func(f *fake) {
			f.time = time.Now().Add(by).Unix()
			require.Equal(t, "PSYNC ? -1", f.greeted())
		}
		follow(t, Options{Log: slog.New(slog.NewTextHandler(&printed, nil))}, &notes{}, func(*Link) {}, script, script, script)
		require.Equal(t, warnings, strings.Count(printed.String(), "another time than this server"), "%v: %s", by, &printed)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestCopies: the link finds the end of a copy with a length and with a mark, and the commands right behind it.
func TestCopies(t *testing.T) {
	mark := strings.Repeat("m", 39) + "!"
	data := strings.Repeat("REDIS"+mark[:39], 2000) // the beginning of the mark, again and again
	for name, section := range map[string]string{
		"length": fmt.Sprintf("\n\n$%d\r\n%s", len(data), data), "mark": "\n$EOF:" + mark + "\r\n" + data + mark,
	} {
		t.Run(name, func(t *testing.T) {
			n := &notes{}
			commands := resp("SELECT", "3") + resp("SET", "k", "v") + resp("PING") + "\n" + resp("DEL", "k")
			check := func(l *Link) {
				s := l.State()
				require.Equal(t, []string{data}, n.copies)
				require.Equal(t, []string{"SELECT 3", "SET k v", "DEL k"}, n.applied)
				require.Equal(t, Connected, s.Phase)
				require.Equal(t, Position{history, 100 + int64(len(commands)), 3}, s.Position)
				require.EqualValues(t, 9, s.Copy.Of)
				require.EqualValues(t, len(data), s.Copy.Read)
			}
			follow(t, Options{}, n, check, func(f *fake) {
				f.greeted()
				fmt.Fprintf(f, "\n+FULLRESYNC %s 100\r\n%s%s", history, section, commands)
				for {
					if _, err := f.command(); err != nil {
						return
					}
				}
			})
		})
	}
}

// TestCutInMulti: a transaction whose EXEC did not arrive runs again as a whole, and nothing runs twice. The
// database is that of the last command.
func TestCutInMulti(t *testing.T) {
	n, first := &notes{}, resp("SELECT", "2")+resp("INCR", "a")
	var asked string
	check := func(l *Link) {
		require.Equal(t, fmt.Sprintf("PSYNC %s %d", history, len(first)+1), asked)
		require.Equal(t, []int{0, 2}, n.begun)
		require.Equal(t, []string{"SELECT 2", "INCR a", "MULTI", "INCR b", "MULTI", "INCR b", "EXEC"}, n.applied)
		require.Equal(t, strings.Repeat("n", 40), l.State().Position.ID) // the history has another name now
	}
	follow(t, Options{}, n, check, func(f *fake) {
		f.greeted()
		go f.stay()
		fmt.Fprintf(f, "+FULLRESYNC %s 0\r\n$1\r\nx%s%s%s*2\r\n$3\r\nIN", history, first, resp("MULTI"), resp("INCR", "b"))
	}, func(f *fake) {
		asked = f.greeted()
		fmt.Fprintf(f, "+CONTINUE %s\r\n%s", strings.Repeat("n", 40), resp("MULTI")+resp("INCR", "b")+resp("EXEC"))
		f.stay()
	})
}

// TestConfirmations: the link confirms each second, and at once if the master asks.
func TestConfirmations(t *testing.T) {
	var got []string
	follow(t, Options{}, &notes{}, func(*Link) {
		require.GreaterOrEqual(t, len(got), 6)
	}, func(f *fake) {
		f.greeted()
		fmt.Fprintf(f, "+CONTINUE\r\n") // there is nothing to continue: an error, and another session
	}, func(f *fake) {
		f.greeted()
		ask := resp("REPLCONF", "GETACK", "*")
		fmt.Fprintf(f, "+FULLRESYNC %s 5\r\n$1\r\nx%s", history, ask)
		r := newReader(f.in, 1<<20)
		for {
			args, err := r.command()
			if err != nil {
				return
			}
			if len(args) > 0 {
				got = append(got, fmt.Sprintf("%s", args))
			}
			if len(got) == 2 {
				require.Equal(t, []string{"[REPLCONF ACK 5]", fmt.Sprintf("[REPLCONF ACK %d]", 5+len(ask))}, got)
			}
		}
	})
}

// TestSignsOfLife: before a copy the link sends nothing. A Redis begins a copy only when its replica has been
// silent for repl-diskless-sync-delay. While the copy arrives, the link sends a line each second.
func TestSignsOfLife(t *testing.T) {
	var before, during int64
	follow(t, Options{}, &notes{}, func(*Link) {
		require.Zero(t, before)
		require.EqualValues(t, 3, during)
	}, func(f *fake) {
		f.greeted()
		fmt.Fprintf(f, "+FULLRESYNC %s 5\r\n", history)
		before = f.sent(5500 * time.Millisecond)
		fmt.Fprint(f, "$9\r\nx")
		during = f.sent(3 * time.Second)
		f.stay()
	})
}

// TestSilence: the link leaves a master that is silent for repl-timeout, and tries again.
func TestSilence(t *testing.T) {
	var n atomic.Int32
	silent := func(f *fake) { n.Add(1); f.stay() }
	var log strings.Builder
	o := Options{Timeout: func() time.Duration { return time.Second }, Log: slog.New(slog.NewTextHandler(&log, nil))}
	follow(t, o, &notes{}, func(l *Link) {
		require.EqualValues(t, 3, n.Load())
		require.Contains(t, log.String(), "the master was silent for repl-timeout")
	}, silent, func(f *fake) {
		f.greeted()
		silent(f)
	}, func(f *fake) {
		f.greeted()
		fmt.Fprintf(f, "+FULLRESYNC %s 5\r\n$1\r\nx", history)
		silent(f)
	})
}

// TestCopiesThatBreak: a master that drops the link in each copy is counted, and the log says what to change there.
func TestCopiesThatBreak(t *testing.T) {
	breaks := func(f *fake) {
		f.greeted()
		fmt.Fprintf(f, "+FULLRESYNC %s 0\r\n$9\r\nx", history)
	}
	var log strings.Builder
	o := Options{Log: slog.New(slog.NewTextHandler(&log, nil))}
	follow(t, o, &notes{}, func(l *Link) {
		require.EqualValues(t, 3, l.State().Copies)
		require.Equal(t, 2, strings.Count(log.String(), "raise its repl-backlog-size"))
	}, breaks, breaks, breaks)
}

// TestSessionsThatEndAtOnce: a master that accepts each session and drops it is asked less and less often.
func TestSessionsThatEndAtOnce(t *testing.T) {
	sessions, n := 0, &notes{}
	ends := func(f *fake) {
		sessions++
		f.greeted()
		fmt.Fprintf(f, "+FULLRESYNC %s 0\r\n$1\r\nx", history)
	}
	follow(t, Options{}, n, func(*Link) {
		require.Len(t, n.copies, sessions)
		require.Equal(t, 7, sessions) // after 0.1, 0.3, 0.7, 1.5, 3.1 and 6.3 s
	}, slices.Repeat([]func(*fake){ends}, 100)...)
}

// TestALongSession: after a session that has held, the first pause is short again.
func TestALongSession(t *testing.T) {
	n := &notes{}
	copies := func(f *fake) {
		f.greeted()
		fmt.Fprintf(f, "+FULLRESYNC %s 0\r\n$1\r\nx", history)
	}
	ends := func(*fake) {}
	holds := func(f *fake) {
		copies(f)
		go f.stay()
		time.Sleep(maxPause)
	}
	stays := func(f *fake) {
		copies(f)
		f.stay()
	}
	follow(t, Options{}, n, func(*Link) { require.Len(t, n.copies, 2) }, ends, ends, ends, ends, ends, holds, stays)
}

// TestStop: after a command that cannot run here the link does not try again, and its position is before the
// command.
func TestStop(t *testing.T) {
	n, first := &notes{refuse: "XADD s 1 2"}, resp("SET", "a", "1")
	follow(t, Options{}, n, func(l *Link) {
		s := l.State()
		require.True(t, s.Stopped)
		require.Equal(t, "no XADD s 1 2", s.Failed)
		require.EqualValues(t, len(first), s.Position.Offset)
	}, func(f *fake) {
		f.greeted()
		go f.stay()
		fmt.Fprintf(f, "+FULLRESYNC %s 0\r\n$1\r\nx%s%s", history, first, resp("XADD", "s", "1", "2"))
	}, func(*fake) { panic("the link has tried again") })
}

// TestLyingMasters: whatever a master sends, the link says what is wrong, takes no memory for claims, and runs
// no command that was not whole.
func TestLyingMasters(t *testing.T) {
	full := "+FULLRESYNC " + history + " 0\r\n"
	begun := full + "$1\r\nx"
	for name, c := range map[string]struct{ sends, says string }{
		"no reply to PSYNC": {"+HELLO\r\n", "is no reply to PSYNC"},
		"refusal":           {"-NOPERM no\r\n", "set masterauth"},
		"short history":     {"+FULLRESYNC 12 0\r\n", "is no reply to PSYNC"},
		"negative offset":   {"+FULLRESYNC " + history + " -5\r\n", "is no reply to PSYNC"},
		"endless line":      {strings.Repeat("x", maxLine+1), "a line is longer than"},
		"no copy":           {full + "-ERR disk\r\n", "the master makes no copy: ERR disk"},
		"wrong length":      {full + "$x\r\n", "is not the beginning of a copy"},
		"negative length":   {full + "$-1\r\n", "is not the beginning of a copy"},
		"short mark":        {full + "$EOF:abc\r\n", "is not the beginning of a copy"},
		"copy too short":    {full + "$1000\r\nabc", "unexpected EOF"},
		"mark never comes":  {full + "$EOF:" + history + "\r\nabc", "unexpected EOF"},
		"a reply":           {begun + "+OK\r\n", `is not the number of words of a command`},
		"inline":            {begun + "SET a 1\r\n", `is not the number of words of a command`},
		"many words":        {begun + "*2000000000\r\n", "is at most 1048576"},
		"long word":         {begun + "*1\r\n$2000000000\r\n", "is at most 1048576"},
		"long command":      {begun + "*2\r\n$1000000\r\n" + strings.Repeat("x", 1000000) + "\r\n$1000000\r\n", "has more than 1048576 bytes"},
		"words of nothing":  {begun + "*1048576\r\n" + strings.Repeat("$0\r\n\r\n", 50000), "has more than 1048576 bytes"},
		"no line break":     {begun + "*1\r\n$3\r\nSET  ", "does not end with a line break"},
	} {
		t.Run(name, func(t *testing.T) {
			n, said := &notes{}, ""
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			follow(t, Options{}, n, func(l *Link) {
				require.Empty(t, n.applied)
				runtime.ReadMemStats(&after)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
				said = l.State().Failed
			}, func(f *fake) {
				f.greeted()
				go f.stay()
				_, _ = io.WriteString(f, c.sends)
			})
			require.Contains(t, said, c.says)
		})
	}
}

// FuzzStream: no bytes of a master make the reader fail, read past the end of a copy, or keep more than its
// bound.
func FuzzStream(f *testing.F) {
	f.Add([]byte("\n$3\r\nabc" + resp("SET", "a", "1")))
	f.Add([]byte("$EOF:" + history + "\r\nabc" + history + resp("PING")))
	f.Fuzz(func(t *testing.T, sent []byte) {
		r := newReader(strings.NewReader(string(sent)), 1<<16)
		s, size, err := r.section()
		if err != nil {
			return
		}
		s.report = func(int64) {}
		n, err := io.Copy(io.Discard, s)
		if err != nil {
			return
		}
		require.True(t, n == size || s.mark != nil)
		for {
			args, err := r.command()
			if err != nil {
				return
			}
			held := 0
			for _, a := range args {
				held += len(a)
			}
			require.LessOrEqual(t, held, 1<<16)
			require.LessOrEqual(t, cap(r.buf), 1<<18)
		}
	})
}
