package adaptive

import (
	"fmt"
	"strconv"
	"testing"

	_ "cellserver/commands/all" // CL.ENTER
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

// noTest lets the harness of tests run in a program. A failure ends the program.
type noTest struct{ testing.TB }

func (noTest) Helper()                           {}
func (noTest) Cleanup(func())                    {}
func (noTest) FailNow()                          { panic("the simulation has failed") }
func (noTest) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// commandLimit asks a server in this process, whose clock is that of the simulation.
type commandLimit struct {
	h           *servertest.Harness
	first, last []string // the words of the commands around the key and the holder
	own         bool     // each caller has a limit of its own
}

// newLimit returns the limit of CL.ENTER with options.
func newLimit(own bool, options ...string) limit {
	enter := append([]string{"CL.ENTER", "", "30", ""}, options...)
	return &commandLimit{servertest.New(noTest{}), enter, []string{"CL.LEAVE"}, own}
}

// newFixed returns a limit that somebody has measured: CL.ACQUIRE.
func newFixed(calls int) limit {
	acquire := []string{"CL.ACQUIRE", "", strconv.Itoa(calls), "30", ""}
	return &commandLimit{servertest.New(noTest{}), acquire, []string{"CL.RELEASE"}, false}
}

func (l *commandLimit) enter(caller int, id, now int64) bool {
	words := make([]any, len(l.first))
	blank := []string{l.key(caller), strconv.FormatInt(id, 10)}
	for i, w := range l.first {
		if w == "" {
			w, blank = blank[0], blank[1:]
		}
		words[i] = w
	}
	return l.ask(now, words...) == '0'
}

func (l *commandLimit) leave(caller int, id, now, latency int64, dropped bool) {
	words := []any{l.last[0], l.key(caller), strconv.FormatInt(id, 10)}
	if l.last[0] == "CL.LEAVE" {
		words = append(words, fmt.Sprintf("%d.%09d", latency/second, latency%second))
		if dropped {
			words = append(words, "DROP")
		}
	}
	l.ask(now, words...)
}

func (l *commandLimit) key(caller int) string {
	if l.own {
		return "service:" + strconv.Itoa(caller)
	}
	return "service"
}

// ask sends a command, and returns the first digit of its reply.
func (l *commandLimit) ask(now int64, words ...any) byte {
	l.h.Clock.Set(servertest.Start + now)
	l.h.Send(resptest.Command(words...))
	out := l.h.Session.Output()
	if out[0] == '-' {
		panic(string(out))
	}
	digit := out[1]
	if out[0] == '*' {
		digit = out[5]
	}
	l.h.Session.Sent()
	return digit
}

// noLimit lets every call begin.
type noLimit struct{}

func (noLimit) enter(int, int64, int64) bool         { return true }
func (noLimit) leave(int, int64, int64, int64, bool) {}
