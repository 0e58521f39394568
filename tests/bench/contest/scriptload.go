package contest

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cellserver/script/scripttest"
	"cellserver/tests/bench/server"
)

// Scripts returns the workloads of the scripts of libraries. Their keys are random, and they allow every call.
func Scripts() (all []Workload) {
	for _, l := range scripttest.Limiters {
		call := []string{"EVALSHA", l.SHA(), strconv.Itoa(l.Keys)}
		for i := range l.Keys {
			call = append(call, fmt.Sprintf("key:%s:%d", random, i))
		}
		all = append(all, Workload{Name: l.Library, Command: slices.Concat(call, l.Args), answered: isArray,
			prepare: func(_ context.Context, s *server.Server) error {
				_, err := s.Do("SCRIPT", "LOAD", l.Source)
				return err
			}})
	}
	return all
}

// Native is the workload that replaces the scripts.
func Native() Workload {
	return Workload{Name: "CL.THROTTLE", Command: strings.Fields("CL.THROTTLE key:" + random + ":0 1000000 1000000 60"), throttle: true, answered: decides(allowed)}
}

func isArray(reply any) error {
	if _, ok := reply.([]any); !ok {
		return fmt.Errorf("%v is no array", reply)
	}
	return nil
}
