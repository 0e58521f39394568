package contest

import (
	"context"
	"strings"

	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"
)

// The workloads of permits. Each request takes a permit and returns it: of a fixed limit, and of an adaptive
// one.
const (
	Fixed    = "CL.ACQUIRE and CL.RELEASE"
	Adaptive = "CL.ENTER and CL.LEAVE"
)

// Permits returns the workloads of permits. The limit of both is 20, and another holder has one permit. That
// is too few to move the adaptive limit.
func Permits() []Workload {
	return []Workload{
		permits(Fixed, "CL.ACQUIRE key 20 lease holder", "CL.RELEASE key holder", ":1\r\n"),
		permits(Adaptive, "CL.ENTER key lease holder", "CL.LEAVE key holder 0.02", "*2\r\n:1\r\n:20\r\n"),
	}
}

func permits(name, take, giveBack, gaveBack string) Workload {
	words := func(command string, i int, lease, holder string) []string {
		blanks := strings.NewReplacer("key", load.Key("permits:", i), "lease", lease, "holder", holder)
		return strings.Fields(blanks.Replace(command))
	}
	return Workload{Name: name, each: 2, throttle: true,
		prepare: func(ctx context.Context, s *server.Server) error {
			_, err := load.Drive(ctx, load.Filler(s.Addr, logs, func(b []byte, i int) []byte {
				return load.Command(b, words(take, i, "3600", "another")...)
			}, load.ThrottleReply(0, 20, 19, -1, 3600)))
			return err
		},
		Script: func(connection int) load.Script {
			both := load.Command(nil, words(take, connection, "60", "me")...)
			both = load.Command(both, words(giveBack, connection, "", "me")...)
			replies := "*5\r\n:0\r\n:20\r\n:18\r\n:-1\r\n:????\r\n" + gaveBack
			return func(request, reply []byte, _ int) ([]byte, []byte) {
				return append(request, both...), append(reply, replies...)
			}
		},
	}
}
