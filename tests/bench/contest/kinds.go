package contest

import (
	"slices"
	"strconv"

	"cellserver/tests/bench/server"
)

// Kinds returns the servers to measure, Redis first. The servers save nothing and accept many clients. cellserver has
// its metrics enabled.
func Kinds(o Options) []server.Kind {
	common := []string{"--save", "", "--maxclients", strconv.Itoa(o.Clients + 1000), "--bind", "127.0.0.1"}
	all := []server.Kind{{Name: server.Redis, Argv: append([]string{"redis-server"}, common...), Keeps: server.NoPersistence}}
	if o.RedisCell != "" {
		argv := append([]string{"redis-server", "--loadmodule", o.RedisCell}, common...)
		all = append(all, server.Kind{Name: server.RedisCell, Argv: argv, Keeps: server.NoPersistence, Throttles: true, Only: true})
	}
	return append(all, server.Kind{Name: server.Cellserver, Argv: append([]string{o.Cellserver}, common...), Keeps: server.NoPersistence, Throttles: true, Metrics: true})
}

// Peers returns the servers with all workloads: Redis and cellserver.
func Peers(o Options) []server.Kind {
	return slices.DeleteFunc(Kinds(o), func(k server.Kind) bool { return k.Only })
}

// Ours returns cellserver.
func Ours(o Options) server.Kind {
	all := Kinds(o)
	return all[len(all)-1]
}
