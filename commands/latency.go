package commands

import (
	"fmt"
	"maps"
	"slices"
)

var latencyTips = []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"}

// LATENCY shows events that took latency-monitor-threshold milliseconds or more
// ("command", and "fast-command" for those that never should), and the distribution of
// all commands' durations.
var _ = register(&Command{
	Name: "latency", Arity: -2, Group: ServerGroup, Since: "2.8.13",
	Summary: "A container for latency diagnostics commands", Complexity: "Depends on subcommand.",
	Subs: []*Command{
		{Name: "doctor", Arity: 2, Flags: adminFlags, Since: "2.8.13", Run: latencyDoctor, Tips: latencyTips,
			Summary: "Return a human readable latency analysis report.", Complexity: "O(1)",
			Help: []string{"DOCTOR", "    Return a human readable latency analysis report."}},
		{Name: "graph", Arity: 3, Flags: adminFlags, Since: "2.8.13", Run: latencyGraph, Tips: latencyTips,
			Summary: "Return a latency graph for the event.", Usage: "event", Complexity: "O(1)",
			Help: []string{"GRAPH <event>", "    Return an ASCII latency graph for the <event> class."}},
		{Name: "history", Arity: 3, Flags: adminFlags, Since: "2.8.13", Run: latencyHistory, Tips: latencyTips,
			Summary: "Return timestamp-latency samples for the event.", Usage: "event", Complexity: "O(1)",
			Help: []string{"HISTORY <event>", "    Return time-latency samples for the <event> class."}},
		{Name: "latest", Arity: 2, Flags: adminFlags, Since: "2.8.13", Run: latencyLatest, Tips: latencyTips,
			Summary: "Return the latest latency samples for all events.", Complexity: "O(1)",
			Help: []string{"LATEST", "    Return the latest latency samples for all events."}},
		{Name: "reset", Arity: -2, Flags: adminFlags, Since: "2.8.13", Run: latencyReset, Tips: allNodesSucceed,
			Summary: "Reset latency data for one or more events.", Usage: "[event [event ...]]", Complexity: "O(1)",
			Help: []string{"RESET [<event> ...]", "    Reset latency data of one or more <event> classes.",
				"    (default: reset all data for all event classes)"}},
		{Name: "histogram", Arity: -2, Flags: adminFlags, Since: "7.0.0", Run: latencyHistogram, Tips: latencyTips,
			Summary: "Return the cumulative distribution of latencies of a subset of commands or all.", Usage: "[command [command ...]]",
			Complexity: "O(N) where N is the number of commands with latency information being retrieved.",
			Help: []string{"HISTOGRAM [COMMAND ...]",
				"    Return a cumulative distribution of latencies in the format of a histogram for the specified command names.",
				"    If no commands are specified then all histograms are replied."}},
		latencyHelp,
	},
})

var latencyHelp = func() *Command {
	help := helpCommand("2.8.13")
	help.Summary += "." // as Redis has it
	return help
}()

func latencyDoctor(c *Call) error {
	c.Out.Verbatim("txt", c.Server.slow.diagnosis(c.Now/1e9, c.Server.Config()))
	return nil
}

func latencyGraph(c *Call) error {
	e := c.Server.slow.event(string(c.Args[2]))
	if len(e.spikes) == 0 {
		return Error(fmt.Sprintf("ERR No samples available for event '%s'", clip(c.Args[2], len(c.Args[2]))))
	}
	c.Out.Verbatim("txt", e.graph(c.Now/1e9))
	return nil
}

func latencyHistory(c *Call) error {
	spikes := c.Server.slow.event(string(c.Args[2])).spikes
	c.Out.Array(len(spikes))
	for _, s := range spikes {
		c.Out.Array(2)
		c.Out.Int(s.seconds)
		c.Out.Int(s.millis)
	}
	return nil
}

func latencyLatest(c *Call) error {
	events := c.Server.slow.allEvents()
	c.Out.Array(len(events))
	for _, e := range events {
		last := e.spikes[len(e.spikes)-1]
		c.Out.Array(4)
		c.Out.BulkString(e.name)
		c.Out.Int(last.seconds)
		c.Out.Int(last.millis)
		c.Out.Int(e.worst)
	}
	return nil
}

func latencyReset(c *Call) error {
	n := 0
	if len(c.Args) == 2 {
		n = c.Server.slow.forgetEvents(nil)
	}
	for _, name := range c.Args[2:] {
		n += c.Server.slow.forgetEvents(name)
	}
	c.Out.Int(int64(n))
	return nil
}

func latencyHistogram(c *Call) error {
	var chosen []*Command
	if len(c.Args) == 2 {
		chosen = withoutSubs()
	}
	for _, name := range c.Args[2:] {
		if cmd := named(name); cmd != nil {
			chosen = append(chosen, cmd)
		}
	}
	var called []*Command
	for _, cmd := range chosen {
		for _, x := range append([]*Command{cmd}, cmd.Subs...) {
			if c.Server.statsOf(x).calls.Load() > 0 {
				called = append(called, x)
			}
		}
	}
	c.Out.Map(len(called))
	for _, cmd := range called {
		c.Out.BulkString(cmd.FullName())
		c.replyHistogram(c.Server.statsOf(cmd))
	}
	return nil
}

// replyHistogram writes how many calls took up to 1, 2, 4 … microseconds, leaving out
// the steps at which the number does not grow.
func (c *Call) replyHistogram(st *stats) {
	var steps [][2]int64 // microseconds, calls
	n := int64(0)
	for bucket := 0; bucket < durations; bucket += 4 {
		before := n
		for i := range 4 {
			n += st.took[bucket+i].Load()
		}
		if n > before {
			steps = append(steps, [2]int64{durationBound(bucket+3) / 1e3, n})
		}
	}
	c.Out.Map(2)
	number(c.Out, "calls", n)
	c.Out.BulkString("histogram_usec")
	c.Out.Map(len(steps))
	for _, s := range steps {
		c.Out.Int(s[0])
		c.Out.Int(s[1])
	}
}

// spikesKept is how many spikes of one event are remembered.
const spikesKept = 160

// latencyEvent is the spikes of one sort of event.
type latencyEvent struct {
	name   string
	worst  int64   // milliseconds, of all time
	spikes []spike // the oldest first, one a second at most
}

// spike is something that took long.
type spike struct{ seconds, millis int64 }

// spike notes an event that took some milliseconds; of those within one second the
// worst is kept.
func (w *slowWatch) spike(name string, seconds, millis int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.events[name]
	if e == nil {
		if w.events == nil {
			w.events = map[string]*latencyEvent{}
		}
		e = &latencyEvent{name: name}
		w.events[name] = e
	}
	e.worst = max(e.worst, millis)
	if n := len(e.spikes); n > 0 && e.spikes[n-1].seconds == seconds {
		e.spikes[n-1].millis = max(e.spikes[n-1].millis, millis)
		return
	}
	e.spikes = append(e.spikes, spike{seconds, millis})
	if len(e.spikes) > spikesKept {
		e.spikes = slices.Delete(e.spikes, 0, 1)
	}
}

// event returns a copy of one event; without spikes if there is none.
func (w *slowWatch) event(name string) latencyEvent {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e := w.events[name]; e != nil {
		return latencyEvent{e.name, e.worst, slices.Clone(e.spikes)}
	}
	return latencyEvent{}
}

// allEvents returns copies of the events, by name.
func (w *slowWatch) allEvents() []latencyEvent {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []latencyEvent
	for _, name := range slices.Sorted(maps.Keys(w.events)) {
		e := w.events[name]
		all = append(all, latencyEvent{e.name, e.worst, slices.Clone(e.spikes)})
	}
	return all
}

// forgetEvents forgets one event, or for nil all of them, and returns how many.
func (w *slowWatch) forgetEvents(name []byte) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	before := len(w.events)
	if name == nil {
		clear(w.events)
	}
	delete(w.events, string(name))
	return before - len(w.events)
}
