package admin

import (
	gc "runtime/debug"

	"cellserver/commands"
)

// MEMORY shows how much memory a key and the server use.
var _ = commands.Register(&commands.Command{
	Name: "memory", Arity: -2, Group: commands.GroupServer,
	Subs: []*commands.Command{
		{Name: "doctor", Arity: 2, Tips: memoryTips, Run: memoryDoctor},
		{Name: "malloc-stats", Arity: 2, Tips: memoryTips, Run: memoryMallocStats},
		{Name: "purge", Arity: 2, Tips: commands.AllShardsSucceed, Run: memoryPurge},
		{Name: "stats", Arity: 2, Tips: memoryTips, Run: memoryStats},
		{
			Name: "usage", Arity: -3, Flags: commands.ReadOnly, Keys: commands.SubKey.With("RO"),
			Run: memoryUsage,
		},
		commands.HelpCommand(),
	},
})

var memoryTips = []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"}

func memoryDoctor(c *commands.Call) error {
	c.Out.Verbatim("txt", "Nothing to report: the Go runtime manages memory and returns idle memory to the system. "+
		"INFO memory and MEMORY STATS have the numbers.")
	return nil
}

// memoryMallocStats has the reply of a Redis whose allocator has no statistics.
func memoryMallocStats(c *commands.Call) error {
	c.Out.BulkString("Stats not supported for the current allocator")
	return nil
}

func memoryPurge(c *commands.Call) error {
	gc.FreeOSMemory()
	return commands.ReplyOK(c)
}

// memoryStats replies with the fields of Redis that mean the same in this server.
func memoryStats(c *commands.Call) error {
	n, used := int64(c.Server.Store.Keys()), c.Server.Store.Used()
	w := c.Out
	w.Map(4)
	commands.Number(w, "total.allocated", used)
	commands.Number(w, "keys.count", n)
	commands.Number(w, "keys.bytes-per-key", used/max(n, 1))
	commands.Number(w, "dataset.bytes", used)
	return nil
}

func memoryUsage(c *commands.Call) error {
	for i := 3; i < len(c.Args); i += 2 {
		if !commands.Is(c.Args[i], "samples") || i+1 == len(c.Args) {
			return commands.ErrSyntax
		}
		n, err := c.Int(i + 1)
		if err != nil {
			return err
		}
		if n < 0 {
			return commands.ErrSyntax
		}
	}
	e := c.Tx.Peek(c.Args[2])
	if !e.Exists() {
		c.Out.Null()
		return nil
	}
	c.Out.Int(e.Memory())
	return nil
}
