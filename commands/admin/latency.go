package admin

import (
	"fmt"

	"cellserver/commands"
)

var latencyTips = []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"}

// LATENCY shows events that took latency-monitor-threshold milliseconds or more, and histograms of
// the durations of commands. The event "fast-command" is a slow command with the flag Fast;
// "command" is any other slow command.
var _ = commands.Register(&commands.Command{
	Name: "latency", Arity: -2, Group: commands.GroupServer,
	Subs: []*commands.Command{
		{Name: "doctor", Arity: 2, Flags: commands.AdminFlags, Tips: latencyTips, Run: latencyDoctor},
		{Name: "graph", Arity: 3, Flags: commands.AdminFlags, Tips: latencyTips, Run: latencyGraph},
		{Name: "history", Arity: 3, Flags: commands.AdminFlags, Tips: latencyTips, Run: latencyHistory},
		{Name: "latest", Arity: 2, Flags: commands.AdminFlags, Tips: latencyTips, Run: latencyLatest},
		{
			Name: "reset", Arity: -2, Flags: commands.AdminFlags, Tips: commands.AllNodesSucceed,
			Run: latencyReset,
		},
		{
			Name: "histogram", Arity: -2, Flags: commands.AdminFlags, Tips: latencyTips,
			Run: latencyHistogram,
		},
		commands.HelpCommand(),
	},
})

func latencyDoctor(c *commands.Call) error {
	c.Out.Verbatim("txt", diagnose(c.Server.Stats.Latency, c.Now/1e9, c.Server.Config()))
	return nil
}

func latencyGraph(c *commands.Call) error {
	e := c.Server.Stats.Latency.Event(string(c.Args[2]))
	if len(e.Spikes) == 0 {
		return commands.Error(fmt.Sprintf("ERR No samples available for event '%s'",
			commands.Clip(c.Args[2], len(c.Args[2]))))
	}
	c.Out.Verbatim("txt", graph(&e, c.Now/1e9))
	return nil
}

func latencyHistory(c *commands.Call) error {
	spikes, gap := c.Server.Stats.Latency.Event(string(c.Args[2])).Spikes, c.GapMillis()/1000
	c.Out.Array(len(spikes))
	for _, s := range spikes {
		c.Out.Array(2)
		c.Out.Int(s.Seconds - gap)
		c.Out.Int(s.Millis)
	}
	return nil
}

func latencyLatest(c *commands.Call) error {
	events, gap := c.Server.Stats.Latency.All(), c.GapMillis()/1000
	c.Out.Array(len(events))
	for _, e := range events {
		last := e.Spikes[len(e.Spikes)-1]
		c.Out.Array(4)
		c.Out.BulkString(e.Name)
		c.Out.Int(last.Seconds - gap)
		c.Out.Int(last.Millis)
		c.Out.Int(e.Worst)
	}
	return nil
}

func latencyReset(c *commands.Call) error {
	n := 0
	if len(c.Args) == 2 {
		n = c.Server.Stats.Latency.Forget(nil)
	}
	for _, name := range c.Args[2:] {
		n += c.Server.Stats.Latency.Forget(name)
	}
	c.Out.Int(int64(n))
	return nil
}

func latencyHistogram(c *commands.Call) error {
	var chosen []*commands.Command
	if len(c.Args) == 2 {
		chosen = commands.TopLevel()
	}
	for _, name := range c.Args[2:] {
		if cmd := commands.Named(name); cmd != nil {
			chosen = append(chosen, cmd)
		}
	}
	var called []*commands.Command
	for _, cmd := range chosen {
		for _, x := range append([]*commands.Command{cmd}, cmd.Subs...) {
			if calls, _ := c.Server.Stats.Commands.Durations(x); calls > 0 {
				called = append(called, x)
			}
		}
	}
	c.Out.Map(len(called))
	for _, cmd := range called {
		calls, steps := c.Server.Stats.Commands.Durations(cmd)
		replyHistogram(c, cmd, calls, steps)
	}
	return nil
}

// replyHistogram writes a cumulative histogram: the number of calls that took up to 1, 2, 4, …
// microseconds. It leaves out steps without a new call.
func replyHistogram(c *commands.Call, cmd *commands.Command, calls int64, steps []commands.DurationStep) {
	c.Out.BulkString(cmd.FullName())
	c.Out.Map(2)
	commands.Number(c.Out, "calls", calls)
	c.Out.BulkString("histogram_usec")
	c.Out.Map(len(steps))
	for _, s := range steps {
		c.Out.Int(s.Micros)
		c.Out.Int(s.Calls)
	}
}
