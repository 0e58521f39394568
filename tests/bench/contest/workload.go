package contest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Keyspace is the number of keys, and the number of members of the large sorted set.
const Keyspace = 100_000

// random stands for twelve random digits, a number below Keyspace. "key:" and the digits make 16 bytes.
const random = "__rand_int__"

// The replies to decisions.
const (
	allowed = "*5\r\n:0\r\n:#\r\n:#\r\n:-1\r\n:#\r\n"
	limited = "*5\r\n:1\r\n:#\r\n:0\r\n:#\r\n:#\r\n"
)

// Workload is a stream of requests.
type Workload struct {
	Name    string
	Script  func(connection int) Script
	prepare func(t testing.TB, s *Server)

	modes    string // that measure it, without --only
	throttle bool   // for servers with CL.THROTTLE only
	web      bool   // over HTTP
}

// The workloads that others are compared with, or that targets name.
const (
	Yardstick        = "INCR"
	Evicting         = "INCR, evicting" // the same with less memory than the keys take
	Throttle         = "CL.THROTTLE"
	Transaction      = "sliding log, a transaction"
	MixedTransaction = "sliding log, members of many lengths"
	Fixed            = "CL.ACQUIRE and CL.RELEASE"
	Adaptive         = "CL.ENTER and CL.LEAVE"
	Reserving        = "CL.RESERVE and CL.SETTLE"
	Checking         = "POST /check"
	BareHandler      = "a bare net/http handler"
)

// Workloads are what is measured, in the order of the report.
func Workloads() []Workload {
	throttle := func(name, modes, words, reply string, prepare func(testing.TB, *Server)) Workload {
		return Workload{Name: name, modes: modes, throttle: true, Script: sends(words, reply), prepare: prepare}
	}
	return []Workload{
		throttle(Throttle, "quick full limiters", "CL.THROTTLE key:"+random+" 1000000 30 60", allowed, nil),
		throttle(Throttle+", one hot key", "full", "CL.THROTTLE hot 10000000 1000000 1", allowed, nil),
		{Name: Throttle + ", all limited", modes: "full", throttle: true, Script: Refuses, prepare: FillFull},
		{Name: Yardstick, modes: "quick full", Script: sends("INCR key:"+random, ":#\r\n")},
		{Name: Evicting, modes: "full", Script: sends("INCR key:"+random, ":#\r\n"), prepare: fillTooMuch},
		{Name: "SET", modes: "quick full", Script: sends("SET key:"+random+" xxx", "+OK\r\n")},
		{Name: "GET", modes: "quick full", Script: sends("GET key:"+random, "$3\r\nxxx\r\n"), prepare: fillValues},
		{
			Name: "ZADD, a large set", modes: "full", prepare: fillLarge,
			Script: sends("ZADD large "+random+" member:"+random, ":#\r\n"),
		},
		{Name: Transaction, modes: "full limiters", Script: slidingLog(logMember), prepare: fillLogs},
		{Name: MixedTransaction, modes: "full", Script: slidingLog(mixedMember), prepare: fillLogs},
		throttle("CL.WINDOW", "limiters", "CL.WINDOW key:"+random+" 1000000 60", allowed, nil),
		throttle("CL.SLIDING", "limiters", "CL.SLIDING key:"+random+" 1000000 60", allowed, nil),
		throttle("CL.CHECK", "limiters", "CL.CHECK two key:"+random, allowed, makeRule),
		{Name: "CL.LOG", modes: "limiters", throttle: true, Script: fullLog},
		permits(Fixed, "CL.ACQUIRE key 20 lease holder", "CL.RELEASE key holder", ":1\r\n"),
		permits(Adaptive, "CL.ENTER key lease holder", "CL.LEAVE key holder 0.02", "*2\r\n:1\r\n:20\r\n"),
		{Name: Reserving, throttle: true, Script: reserves, prepare: makeBudget},
		{Name: Checking, throttle: true, web: true, Script: checking("#", "#"), prepare: makeCheckRule},
		{Name: BareHandler, web: true, Script: checking(firstLeft, firstReset)},
	}
}

// WorkloadNamed returns the workload of a name.
func WorkloadNamed(t testing.TB, name string) Workload {
	all := Workloads()
	i := slices.IndexFunc(all, func(w Workload) bool { return w.Name == name })
	require.GreaterOrEqual(t, i, 0, "%q is no workload", name)
	return all[i]
}

// Selected returns the workloads of a mode whose names contain Only, and those that they are compared with.
func Selected(o Options, base ...string) []Workload {
	return slices.DeleteFunc(Workloads(), func(w Workload) bool {
		return !slices.Contains(strings.Fields(w.modes), o.Mode) ||
			!strings.Contains(w.Name, o.Only) && !slices.Contains(base, w.Name)
	})
}

// KnownTo reports whether a kind of server is measured with the workload.
func (w Workload) KnownTo(k Kind) bool {
	if w.throttle {
		return k.Name != Redis
	}
	return k.Name != RedisCell
}

// On returns the side of a workload on a server of its own.
func (w Workload) On(k Kind, p Point, o Options) Side {
	return Side{w.Name, k.Name, p, func(t testing.TB) Running {
		s := k.Start(t, o.Core)
		if w.prepare != nil {
			w.prepare(t, s)
		}
		addr := s.Addr
		if w.web {
			addr = s.Web
		}
		return Running{[]int{s.PID()}, Clients(t, []string{addr}, w.Script, p), s.Stop}
	}}
}

// Clients returns a load of connections to addresses. The scripts continue from run to run.
func Clients(
	t testing.TB, addrs []string, script func(connection int) Script, p Point,
) func(time.Duration) Outcome {
	scripts := make([]Script, p.Connections)
	for i := range scripts {
		scripts[i] = script(i)
	}
	return func(d time.Duration) Outcome {
		return Drive(t, Load{Addrs: addrs, Scripts: scripts, Pipeline: p.Pipeline, Duration: d})
	}
}

// sends returns scripts that repeat a command, with other random digits each time.
func sends(words, reply string) func(connection int) Script {
	return Repeats(Command(nil, strings.Fields(words)...), reply)
}

// Repeats returns scripts that repeat a request, with other random digits each time.
func Repeats(template []byte, reply string) func(connection int) Script {
	var places []int
	for at := 0; ; at += len(random) {
		next := bytes.Index(template[at:], []byte(random))
		if next < 0 {
			break
		}
		at += next
		places = append(places, at)
	}
	return func(int) Script {
		return func(request, expected []byte, _ []int64) ([]byte, []byte) {
			begin := len(request)
			request = append(request, template...)
			for _, at := range places {
				putDigits(request[begin+at:], rand.IntN(Keyspace))
			}
			return request, append(expected, reply...)
		}
	}
}

// permits returns a workload whose requests take a permit and return it. The limit is 20, and another
// holder has one permit. That is too few to move an adaptive limit.
func permits(name, take, giveBack, gaveBack string) Workload {
	words := func(command string, i int, lease, holder string) []string {
		blanks := strings.NewReplacer("key", Key("permits:", i), "lease", lease, "holder", holder)
		return strings.Fields(blanks.Replace(command))
	}
	return Workload{
		Name: name, throttle: true,
		prepare: func(t testing.TB, s *Server) {
			Fill(t, s.Addr, logs, func(b []byte, i int) []byte {
				return Command(b, words(take, i, "3600", "another")...)
			}, allowed)
		},
		Script: func(connection int) Script {
			both := Command(nil, words(take, connection, "60", "me")...)
			both = Command(both, words(giveBack, connection, "", "me")...)
			return Repeats(both, "*5\r\n:0\r\n:20\r\n:18\r\n:-1\r\n:#\r\n"+gaveBack)(connection)
		},
	}
}
