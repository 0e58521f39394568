package contest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cellserver/resp/resptest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"
)

// Keyspace is the number of keys, and the number of members of the large sorted set.
const Keyspace = 100_000

// random is the text that redis-benchmark replaces by twelve digits. "key:" and the digits make 16 bytes.
const random = "__rand_int__"

// Workload is a stream of requests. It has either a command or a script.
type Workload struct {
	Name    string
	Command []string // the command that redis-benchmark sends
	Script  func(connection int) load.Script
	each    int // commands in one counted request

	throttle bool // for servers with CL.THROTTLE only
	quick    bool
	prepare  func(ctx context.Context, s *server.Server) error
	heard    func(connection int, replies []byte) // receives the replies to a script's pipelines, one after the other
	after    func() error                         // returns an error if the heard replies are wrong
	// answered returns an error if the reply to the command is wrong.
	answered func(reply any) error
}

// The decisions of CL.THROTTLE.
const (
	allowed = int64(0)
	limited = int64(1)
)

// Workloads are what is measured, in the order of the report.
func Workloads() []Workload {
	return []Workload{
		{Name: "CL.THROTTLE", Command: strings.Fields("CL.THROTTLE key:" + random + " 1000000 30 60"), quick: true, throttle: true,
			answered: decides(allowed)},
		{Name: "CL.THROTTLE, one hot key", Command: strings.Fields("CL.THROTTLE hot 10000000 1000000 1"), throttle: true,
			answered: decides(allowed)},
		{Name: "CL.THROTTLE, all limited", Command: strings.Fields("CL.THROTTLE full:" + random + " 0 1 1000000"), throttle: true,
			prepare:  func(ctx context.Context, s *server.Server) error { return FillFull(ctx, s.Addr) },
			answered: decides(limited)},
		{Name: Yardstick, Command: strings.Fields("INCR key:" + random), quick: true, answered: integer},
		{Name: Evicting, Command: strings.Fields("INCR key:" + random), prepare: fillTooMuch,
			answered: integer},
		{Name: "SET", Command: strings.Fields("SET key:" + random + " xxx"), quick: true, answered: equals(resptest.Simple("OK"))},
		{Name: "GET", Command: strings.Fields("GET key:" + random), quick: true, prepare: fillValues,
			answered: equals("xxx")},
		{Name: "ZADD, a large set", Command: strings.Fields("ZADD large " + random + " member:" + random), prepare: fillLarge,
			answered: integer},
		{Name: Transaction, Script: slidingLog(logMember), each: 6, prepare: fillLogs},
		{Name: MixedTransaction, Script: slidingLog(mixedMember), each: 6, prepare: fillLogs},
	}
}

// Yardstick is the workload to compare the others with. Evicting is the same with less memory than the keys
// take. Transaction is the workload that keeps a sliding log, and MixedTransaction is one whose members have
// many lengths.
const (
	Yardstick        = "INCR"
	Evicting         = "INCR, evicting"
	Transaction      = "sliding log, a transaction"
	MixedTransaction = "sliding log, members of many lengths"
)

// WorkloadNamed returns the workload of a name. If the name is unknown, the workload is empty and its
// measurement fails.
func WorkloadNamed(name string) Workload {
	all := slices.Concat(Workloads(), Limiters(), Permits(), Checks())
	if i := slices.IndexFunc(all, func(w Workload) bool { return w.Name == name }); i >= 0 {
		return all[i]
	}
	return Workload{Name: name}
}

// Selected returns the workloads of a mode whose names contain Only, and Yardstick.
func Selected(o Options) []Workload {
	return slices.DeleteFunc(Workloads(), func(w Workload) bool {
		return o.Mode == "quick" && !w.quick || !strings.Contains(w.Name, o.Only) && w.Name != Yardstick
	})
}

// probe sends the workload's command once and checks the reply.
func (w *Workload) probe(s *server.Server) error {
	if w.Command == nil {
		return nil // a script checks every reply
	}
	var args []any
	for _, arg := range w.Command {
		args = append(args, strings.ReplaceAll(arg, random, fmt.Sprintf("%012d", 7)))
	}
	reply, err := s.Do(args...)
	if err == nil {
		err = w.answered(reply)
	}
	if err != nil {
		return fmt.Errorf("%s: %v: %w", s.Name, args, err)
	}
	return nil
}

// decides checks that a reply is a decision of CL.THROTTLE with this first integer.
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
