package main

import (
	"context"
	"fmt"
	"strings"
)

// hotClients is how many clients want the same key.
const hotClients = 8

// hotKeyReply is any decision that allows one more of a quota of seven digits which is refilled sooner than it is used.
var hotKeyReply = decision(0, 9_999_999, 9_999_998, -1, 1)

// throttling is each client's requests, all allowed, on one of so many keys.
func throttling(keys int) func(connection int) script {
	// What remains depends on how soon others came, and how many digits it has does not.
	reply := strings.Replace(hotKeyReply, ":9999998", ":???????", 1)
	return func(connection int) script {
		key := name("hot:", connection%keys)
		return func(request, expected []byte, _ int) ([]byte, []byte) {
			return command(request, "CL.THROTTLE", key, "9999998", "100000000", "1"), append(expected, reply...)
		}
	}
}

// The two sides of a contest for keys.
var (
	oneKey   = workload{name: "8 clients, one key", script: throttling(1), throttle: true}
	keysEach = workload{name: "8 clients, a key each", script: throttling(hotClients), throttle: true}
)

// hotKeyRows measures both sides, at a depth of the pipeline, with all cores.
func hotKeyRows(ctx context.Context, o options, pipeline int) ([]row, error) {
	o, undo, err := onAllCores(ctx, o)
	if err != nil {
		return nil, err
	}
	defer undo()
	at := point{pipeline, hotClients}
	return contest(ctx, o, []side{{ours(o), keysEach, at}, {ours(o), oneKey, at}})
}

// hotKey measures what clients of one key cost each other.
func hotKey(ctx context.Context, o options) ([]section, error) {
	t := table{numbers: 9, head: []string{"clients", "P", "per second", "time, ×", "CPU µs", "p50", "p99", "p99.9", "max", "others"}}
	for _, pipeline := range []int{1, 16} {
		rows, err := hotKeyRows(ctx, o, pipeline)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			t.add(r.workload, fmt.Sprint(pipeline), thousands(r.rate), fmt.Sprintf("%.2f", median(ratios(rows[0], r, byRate))),
				fmt.Sprintf("%.2f", r.cpu), milliseconds(r.p50), milliseconds(r.p99), milliseconds(r.p999), milliseconds(r.max), percent(r.others))
		}
	}
	return []section{{id: "hotkey", heading: "One hot key", table: t,
		notes: `CL.THROTTLE of 8 clients with a connection each, from this bench, which has all cores with the server. × is the time for a
command over the time with a key for each: the median of the ratios, round by round. What a command costs without sockets is
measured by ` + "`go test -bench 'Throttle8' ./commands`" + `.`}}, nil
}
