package admin

import (
	gc "runtime/debug"

	"cellserver/commands"
)

// MEMORY shows how much memory a key and the server use.
var _ = commands.Register(&commands.Command{
	Name: "memory", Arity: -2, Group: commands.GroupServer, Since: "4.0.0",
	Summary: "A container for memory diagnostics commands", Complexity: "Depends on subcommand.",
	Subs: []*commands.Command{
		{Name: "doctor", Arity: 2, Since: "4.0.0", Summary: "Outputs memory problems report", Complexity: "O(1)", Tips: memoryTips,
			Help: []string{"DOCTOR", "    Return memory problems reports."}, Run: memoryDoctor},
		{Name: "malloc-stats", Arity: 2, Since: "4.0.0",
			Summary: "Show allocator internal stats", Complexity: "Depends on how much memory is allocated, could be slow", Tips: memoryTips,
			Help: []string{"MALLOC-STATS", "    Return internal statistics report from the memory allocator."}, Run: memoryMallocStats},
		{Name: "purge", Arity: 2, Since: "4.0.0",
			Summary: "Ask the allocator to release memory", Complexity: "Depends on how much memory is allocated, could be slow",
			Tips: commands.AllShardsSucceed,
			Help: []string{"PURGE", "    Attempt to purge dirty pages for reclamation by the allocator."}, Run: memoryPurge},
		{Name: "stats", Arity: 2, Since: "4.0.0", Summary: "Show memory usage details", Complexity: "O(1)", Tips: memoryTips,
			Help: []string{"STATS", "    Return information about the memory usage of the server."}, Run: memoryStats},
		{Name: "usage", Arity: -3, Flags: commands.ReadOnly, Keys: commands.SubKey.With("RO"), Since: "4.0.0",
			Summary: "Estimate the memory usage of a key", Usage: "key [SAMPLES count]", Complexity: "O(N) where N is the number of samples.",
			Help: []string{"USAGE <key> [SAMPLES <count>]", "    Return memory in bytes used by <key> and its value. Nested values are",
				"    sampled up to <count> times (default: 5, 0 means sample all)."}, Run: memoryUsage},
		commands.HelpCommand("4.0.0"),
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
	s := c.Server.Store
	n := 0
	for db := range s.Databases() {
		n += s.Len(db)
	}
	used := s.Used()
	w := c.Out
	w.Map(4)
	commands.Number(w, "total.allocated", used)
	commands.Number(w, "keys.count", int64(n))
	commands.Number(w, "keys.bytes-per-key", used/int64(max(n, 1)))
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
