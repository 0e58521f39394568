package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cellserver/resp/resptest"
)

// keyspace is how many keys, and members of the large sorted set, there are.
const keyspace = 100_000

// random is what redis-benchmark replaces by twelve digits: with them, "key:" makes 16 bytes.
const random = "__rand_int__"

// workload is what the clients do.
type workload struct {
	name    string
	command []string // what redis-benchmark sends, or none:
	script  func(connection int) script
	each    int // commands in one of what is counted
	keys    int // among which the random ones are, if not keyspace

	throttle bool // of servers that know CL.THROTTLE alone
	quick    bool
	prepare  func(ctx context.Context, s *server) error
	heard    func(connection int, replies []byte) // is shown the replies to a script's pipelines, one after the other
	after    func() error                         // says what is wrong with what it heard
	// answered says what is wrong with the reply to the command.
	answered func(reply any) error
}

// throttled are the decisions that CL.THROTTLE may give.
const (
	allowed = int64(0)
	limited = int64(1)
)

// workloads are what is measured, in the order of the report.
func workloads() []workload {
	return []workload{
		{name: "CL.THROTTLE", command: strings.Fields("CL.THROTTLE key:" + random + " 1000000 30 60"), quick: true, throttle: true,
			answered: decides(allowed)},
		{name: "CL.THROTTLE, one hot key", command: strings.Fields("CL.THROTTLE hot 10000000 1000000 1"), throttle: true,
			answered: decides(allowed)},
		{name: "CL.THROTTLE, all limited", command: strings.Fields("CL.THROTTLE full:" + random + " 0 1 1000000"), throttle: true,
			prepare: fillThrottles, answered: decides(limited)},
		{name: yardstick, command: strings.Fields("INCR key:" + random), quick: true, answered: integer},
		{name: "SET", command: strings.Fields("SET key:" + random + " xxx"), quick: true, answered: equals(resptest.Simple("OK"))},
		{name: "GET", command: strings.Fields("GET key:" + random), quick: true, prepare: fillValues, answered: equals("xxx")},
		{name: "ZADD, a large set", command: strings.Fields("ZADD large " + random + " member:" + random), prepare: fillLarge,
			answered: integer},
		{name: transaction, script: slidingLog, each: 6, prepare: fillLogs},
	}
}

// yardstick is the workload that the others are compared with, transaction the one that keeps a sliding log.
const (
	yardstick   = "INCR"
	transaction = "sliding log, a transaction"
)

// workloadNamed is the workload of a name; without one, it cannot be measured.
func workloadNamed(name string) workload {
	all := slices.Concat(workloads(), limiters())
	if i := slices.IndexFunc(all, func(w workload) bool { return w.name == name }); i >= 0 {
		return all[i]
	}
	return workload{name: name}
}

// selected are the workloads of a mode whose names contain some text, and the yardstick.
func selected(o options) []workload {
	return slices.DeleteFunc(workloads(), func(w workload) bool {
		return o.mode == "quick" && !w.quick || !strings.Contains(w.name, o.only) && w.name != yardstick
	})
}

// probe asks what the clients ask, once, and looks at the reply.
func (w *workload) probe(s *server) error {
	if w.command == nil {
		return nil // a script checks every reply
	}
	var args []any
	for _, arg := range w.command {
		args = append(args, strings.ReplaceAll(arg, random, fmt.Sprintf("%012d", 7)))
	}
	reply, err := s.do(args...)
	if err == nil {
		err = w.answered(reply)
	}
	if err != nil {
		return fmt.Errorf("%s: %v: %w", s.name, args, err)
	}
	return nil
}

// decides wants a decision of CL.THROTTLE, and this one.
func decides(want int64) func(any) error {
	return func(reply any) error {
		if err := anyDecision(reply); err != nil {
			return err
		}
		if got := reply.([]any)[0]; got != want {
			return fmt.Errorf("limited is %v, not %d", got, want)
		}
		return nil
	}
}

func anyDecision(reply any) error {
	list, ok := reply.([]any)
	if !ok || len(list) != 5 || slices.ContainsFunc(list, func(v any) bool { return integer(v) != nil }) {
		return fmt.Errorf("%v are not five integers", reply)
	}
	return nil
}

func integer(reply any) error {
	if _, ok := reply.(int64); !ok {
		return fmt.Errorf("%v is no integer", reply)
	}
	return nil
}

func equals(want any) func(any) error {
	return func(reply any) error {
		if reply != want {
			return fmt.Errorf("%v is not %v", reply, want)
		}
		return nil
	}
}
