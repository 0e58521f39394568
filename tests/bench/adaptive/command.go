package adaptive

import (
	"fmt"
	"strings"
	"testing"

	_ "cellserver/commands/all" // CL.ENTER
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
)

// commandLimit asks a server in this process, whose clock is that of the simulation.
type commandLimit struct {
	h     *servertest.Harness
	take  string // the command, with verbs for the key and the holder
	fixed bool   // the limit does not learn from latencies
	own   bool   // each caller has a limit of its own
}

// newLimit returns the limit of CL.ENTER with options.
func newLimit(t testing.TB, own bool, options ...string) limit {
	take := "CL.ENTER %s 30 %d " + strings.Join(options, " ")
	return &commandLimit{h: servertest.New(t), take: take, own: own}
}

// newFixed returns a limit that somebody has measured: CL.ACQUIRE.
func newFixed(t testing.TB, calls int) limit {
	take := fmt.Sprintf("CL.ACQUIRE %%s %d 30 %%d", calls)
	return &commandLimit{h: servertest.New(t), take: take, fixed: true}
}

func (l *commandLimit) enter(caller int, id, now int64) bool {
	return l.ask(now, fmt.Sprintf(l.take, l.key(caller), id)) == '0'
}

func (l *commandLimit) leave(caller int, id, now, latency int64, dropped bool) {
	command := leaving(l.key(caller), id, latency, dropped)
	if l.fixed {
		command = fmt.Sprintf("CL.RELEASE %s %d", l.key(caller), id)
	}
	l.ask(now, command)
}

// leaving returns the command for the end of a call.
func leaving(key string, id, latency int64, dropped bool) string {
	command := fmt.Sprintf("CL.LEAVE %s %d %d.%09d", key, id, latency/second, latency%second)
	if dropped {
		command += " DROP"
	}
	return command
}

func (l *commandLimit) key(caller int) string {
	if l.own {
		return fmt.Sprint("service:", caller)
	}
	return "service"
}

// ask sends a command, and returns the first digit of its reply.
func (l *commandLimit) ask(now int64, command string) byte {
	var words []any
	for word := range strings.FieldsSeq(command) {
		words = append(words, word)
	}
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
