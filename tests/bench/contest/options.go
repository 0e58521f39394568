package contest

import (
	"context"
	"os"
	"strings"

	"cellserver/tests/bench/server"
)

// Options are the settings of the command line.
type Options struct {
	Mode       string
	Write      bool
	Repeats    int
	Seconds    float64 // length of one measurement
	Keys       int     // for memory
	Kills      int     // of a leader, for cluster
	Busy       bool    // measure once, whatever other processes do
	Only       string  // a part of the names of the rows to measure
	Cellserver string  // path of the program
	RedisCell  string  // path of the module; "" for none
	Core       string  // of the servers
	LoadCore   string  // of the clients
}

// OnAllCores returns options that let clients and servers run on every core. undo restores the cores of the
// clients.
func OnAllCores(ctx context.Context, o Options) (everywhere Options, undo func() error, err error) {
	online, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return o, nil, err
	}
	everywhere = o
	everywhere.Core = strings.TrimSpace(string(online))
	everywhere.LoadCore = everywhere.Core
	return everywhere, func() error { return server.Pin(ctx, o.LoadCore) }, server.Pin(ctx, everywhere.LoadCore)
}

// Kinds returns the servers to measure, Redis first. The servers save nothing. cellserver has its metrics
// enabled.
func Kinds(o Options) []server.Kind {
	common := []string{"--save", "", "--appendonly", "no", "--bind", "127.0.0.1"}
	all := []server.Kind{{Name: server.Redis, Argv: append([]string{"redis-server"}, common...)}}
	if o.RedisCell != "" {
		argv := append([]string{"redis-server", "--loadmodule", o.RedisCell}, common...)
		all = append(all, server.Kind{Name: server.RedisCell, Argv: argv, Throttles: true, Only: true})
	}
	argv := append([]string{o.Cellserver}, common...)
	return append(all, server.Kind{Name: server.Cellserver, Argv: argv, Throttles: true, Metrics: true})
}

// Ours returns cellserver.
func Ours(o Options) server.Kind {
	all := Kinds(o)
	return all[len(all)-1]
}
