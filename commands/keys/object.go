package keys

import (
	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/store"
)

// OBJECT shows the encoding of a key and its access data. It does not count as an access.
var _ = commands.Register(&commands.Command{
	Name: "object", Arity: -2, Group: commands.GroupGeneric, Categories: []string{}, Since: "2.2.3",
	Summary: "A container for object introspection commands", Complexity: "Depends on subcommand.",
	Subs: []*commands.Command{
		{Name: "encoding", Arity: 3, Flags: commands.ReadOnly, Keys: commands.SubKey.With("RO"), Since: "2.2.3",
			Summary: "Inspect the internal encoding of a Redis object", Usage: "key", Complexity: "O(1)", Tips: commands.NondeterministicOutput,
			Help: []string{"ENCODING <key>", "    Return the kind of internal representation used in order to store the value", "    associated with a <key>."},
			Run:  objectEncoding},
		{Name: "freq", Arity: 3, Flags: commands.ReadOnly, Keys: commands.SubKey.With("RO"), Since: "4.0.0",
			Summary: "Get the logarithmic access frequency counter of a Redis object", Usage: "key", Complexity: "O(1)", Tips: commands.NondeterministicOutput,
			Help: []string{"FREQ <key>", "    Return the access frequency index of the <key>. The returned integer is", "    proportional to the logarithm of the recent access frequency of the key."},
			Run:  objectFreq},
		{Name: "idletime", Arity: 3, Flags: commands.ReadOnly, Keys: commands.SubKey.With("RO"), Since: "2.2.3",
			Summary: "Get the time since a Redis object was last accessed", Usage: "key", Complexity: "O(1)", Tips: commands.NondeterministicOutput,
			Help: []string{"IDLETIME <key>", "    Return the idle time of the <key>, that is the approximated number of", "    seconds elapsed since the last access to the key."},
			Run:  objectIdleTime},
		{Name: "refcount", Arity: 3, Flags: commands.ReadOnly, Keys: commands.SubKey.With("RO"), Since: "2.2.3",
			Summary: "Get the number of references to the value of the key", Usage: "key", Complexity: "O(1)", Tips: commands.NondeterministicOutput,
			Help: []string{"REFCOUNT <key>", "    Return the number of references of the value associated with the specified", "    <key>."},
			Run:  objectRefCount},
		commands.HelpCommand("6.2.0"),
	},
})

const (
	errNoLFU commands.Error = "ERR An LFU maxmemory policy is not selected, access frequency not tracked. " +
		"Please note that when switching between policies at runtime LRU and LFU data " +
		"will take some time to adjust."
	errLFU commands.Error = "ERR An LFU maxmemory policy is selected, idle time not tracked. " +
		"Please note that when switching between policies at runtime LRU and LFU data " +
		"will take some time to adjust."
)

// longestEmbedded is the largest length in bytes of a string with the encoding embstr, as in Redis.
const longestEmbedded = 44

func objectEncoding(c *commands.Call) error {
	e := c.Tx.Peek(c.Args[2])
	switch e.Kind() {
	case store.None:
		c.Out.Null()
	default:
		c.Out.BulkString(encoding(&e))
	}
	return nil
}

// encoding returns the encoding that Redis would have for an entry.
func encoding(e *store.Entry) string {
	switch k := e.Kind(); {
	case k == store.Int:
		return "int"
	case k.IsCollection():
		return e.Collection().Encoding()
	case len(e.Bytes(nil)) <= longestEmbedded:
		return "embstr"
	}
	return "raw"
}

func objectFreq(c *commands.Call) error {
	e := c.Tx.Peek(c.Args[2])
	switch {
	case !e.Exists():
		c.Out.Null()
	case !usesLFU(c.Server.Config()):
		return errNoLFU
	default:
		c.Out.Int(e.Freq())
	}
	return nil
}

func objectIdleTime(c *commands.Call) error {
	e := c.Tx.Peek(c.Args[2])
	switch {
	case !e.Exists():
		c.Out.Null()
	case usesLFU(c.Server.Config()):
		return errLFU
	default:
		c.Out.Int(e.Idle())
	}
	return nil
}

// objectRefCount always replies 1 for a key: two keys never share a value.
func objectRefCount(c *commands.Call) error {
	if e := c.Tx.Peek(c.Args[2]); e.Exists() {
		c.Out.Int(1)
	} else {
		c.Out.Null()
	}
	return nil
}

// usesLFU reports whether maxmemory-policy is an LFU policy.
func usesLFU(cfg *config.Config) bool {
	return cfg.MaxMemoryPolicy == config.AllKeysLFU || cfg.MaxMemoryPolicy == config.VolatileLFU
}
