package group_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// step is what a client asks, or learns, about one key or one pair of keys. A nil output is unknown.
type step struct {
	key string
	op  string // incr, get, throttle, gcra, both, pair; enter, leave, drop, limit
	now int64  // of the decision, for gcra and adaptive limits
	permit
}

// history collects what clients have seen.
type history struct {
	clock atomic.Int64 // counts calls and replies
	calls atomic.Int64 // counts calls
	mu    sync.Mutex   // guards all
	all   []porcupine.Operation
}

// call notes that a client sends a step, and returns the time.
func (h *history) call() int64 {
	h.calls.Add(1)
	return h.clock.Add(1)
}

// reply notes the reply to a step.
func (h *history) reply(client int, s step, call int64, output []int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	op := porcupine.Operation{ClientId: client, Input: s, Call: call, Output: output, Return: h.clock.Add(1)}
	if output == nil {
		op.Return = 1 << 60 // it may take effect at any time, or never
	}
	h.all = append(h.all, op)
}

// keys returns all keys, sorted.
func (h *history) keys() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := map[string]bool{}
	for _, op := range h.all {
		all[op.Input.(step).key] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// The limits of the steps throttle and gcra. Those of throttle never refill.
const (
	throttleLimit = 20
	gcraLimit     = 5
	gcraInterval  = int64(500 * time.Millisecond)
)

// command returns the commands of a step.
func (s step) command() []string {
	switch s.op {
	case "incr":
		return []string{"INCR " + s.key}
	case "get":
		return []string{"GET " + s.key}
	case "throttle":
		return []string{fmt.Sprint("CL.THROTTLE ", s.key, " ", throttleLimit-1, " 1 1000000")}
	case "gcra":
		return []string{fmt.Sprint("CL.THROTTLE ", s.key, " ", gcraLimit-1, " 2 1")}
	case "both":
		return []string{"MULTI", "INCR {" + s.key + "}a", "INCR {" + s.key + "}b", "EXEC"}
	case "enter", "leave", "drop", "limit":
		return []string{s.flightCommand()}
	}
	return []string{"MGET {" + s.key + "}a {" + s.key + "}b"}
}

// output returns the numbers of the last reply, those that a step's model knows.
func (s step) output(t testing.TB, replies []any) (all []int64) {
	reply := replies[len(replies)-1]
	list, ok := reply.([]any)
	switch {
	case s.op == "limit" && !ok:
		list = []any{reply, reply} // there is no limit
	case !ok:
		list = []any{reply}
	case s.op == "limit":
		list = []any{list[3], list[5]} // the limit, and the calls under way
	case s.op == "throttle", s.op == "gcra":
		list = []any{list[0], list[2]}
	}
	for _, one := range list {
		switch v := one.(type) {
		case int64:
			all = append(all, v)
		case string:
			var n int64
			_, err := fmt.Sscan(v, &n)
			require.NoError(t, err)
			all = append(all, n)
		case resptest.Nil:
			all = append(all, 0)
		default:
			require.Fail(t, "unexpected reply", "%T %v", v, v)
		}
	}
	return all
}

// models are the sequential specifications of the steps. The state is a number: a counter, what a throttle has left,
// or a TAT. That of an adaptive limit is its limit and its leases.
var model = (&porcupine.NondeterministicModel{
	Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
		by := map[string][]porcupine.Operation{}
		for _, op := range all {
			key := op.Input.(step).key
			by[key] = append(by[key], op)
		}
		var parts [][]porcupine.Operation
		for _, part := range by {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() []any { return []any{int64(0)} },
	Step: func(state, input, output any) (next []any) {
		s, got := input.(step), output.([]int64)
		if strings.HasPrefix(s.key, "adaptive") {
			return s.fly(state, got)
		}
		want, number := s.run(state.(int64))
		if got != nil && !slices.Equal(got, want) {
			return nil
		}
		return []any{number}
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprint(input, " -> ", output) },
}).ToModel()

// run returns the reply to a step and the next state.
func (s step) run(was int64) (reply []int64, next int64) {
	switch s.op {
	case "incr":
		return []int64{was + 1}, was + 1
	case "both":
		return []int64{was + 1, was + 1}, was + 1
	case "get":
		return []int64{was}, was
	case "pair":
		return []int64{was, was}, was
	case "throttle":
		if was == throttleLimit {
			return []int64{1, 0}, was
		}
		return []int64{0, throttleLimit - was - 1}, was + 1
	}
	tat := max(was, s.now) + gcraInterval
	if left := gcraLimit*gcraInterval - (tat - s.now); left >= 0 {
		return []int64{0, left / gcraInterval}, tat
	}
	left := gcraLimit*gcraInterval - (max(was, s.now) - s.now)
	return []int64{1, left / gcraInterval}, was
}

// checkTime is how long the check of one part may take. A part that takes longer is undecided.
const checkTime = 10 * time.Second

// violation returns a description of the first part of the history that no order of its steps explains; "" if there is
// none. More than one undecided part in a hundred is a violation too: then the check is worth nothing.
func (h *history) violation(t testing.TB, progress func()) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	parts, undecided := model.Partition(h.all), 0
	for _, part := range parts {
		single := model
		single.Partition = nil
		progress()
		switch porcupine.CheckOperationsTimeout(single, part, checkTime) {
		case porcupine.Illegal:
			return fmt.Sprint("no order explains what clients have seen of ", part[0].Input.(step).key)
		case porcupine.Unknown:
			undecided++
			t.Log("nobody knows whether an order explains what clients have seen of", part[0].Input.(step).key, "steps", len(part))
		}
	}
	if undecided*100 > len(parts) {
		return fmt.Sprint(undecided, " of ", len(parts), " parts of the history are undecided")
	}
	return ""
}
