package keys

import (
	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/store"
)

// OBJECT shows the encoding of a key and its access data. It does not count as an access.
var _ = commands.Register(&commands.Command{
	Name: "object", Arity: -2, Group: commands.GroupGeneric, Categories: []string{},
	Subs: []*commands.Command{
		{
			Name: "encoding", Arity: 3, Flags: commands.ReadOnly, Keys: commands.SubKey.With("RO"),
			Tips: commands.NondeterministicOutput, Run: objectEncoding,
		},
		{
			Name: "freq", Arity: 3, Flags: commands.ReadOnly, Keys: commands.SubKey.With("RO"),
			Tips: commands.NondeterministicOutput, Run: objectFreq,
		},
		{
			Name: "idletime", Arity: 3, Flags: commands.ReadOnly, Keys: commands.SubKey.With("RO"),
			Tips: commands.NondeterministicOutput, Run: objectIdleTime,
		},
		{
			Name: "refcount", Arity: 3, Flags: commands.ReadOnly, Keys: commands.SubKey.With("RO"),
			Tips: commands.NondeterministicOutput, Run: objectRefCount,
		},
		commands.HelpCommand(),
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
	e := c.Tx.Look(c.Args[2])
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
	e := c.Tx.Look(c.Args[2])
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
	e := c.Tx.Look(c.Args[2])
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
	if e := c.Tx.Look(c.Args[2]); e.Exists() {
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
