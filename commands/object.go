package commands

import (
	"cellserver/internal/config"
	"cellserver/store"
)

// OBJECT tells how a key is kept and how it was used; asking is no use of it.
var _ = register(&Command{
	Name: "object", Arity: -2, Group: Generic, Categories: []string{}, Since: "2.2.3",
	Summary: "A container for object introspection commands", Complexity: "Depends on subcommand.",
	Subs: []*Command{
		{Name: "encoding", Arity: 3, Flags: ReadOnly, Keys: subKey.access("RO"), Since: "2.2.3",
			Summary: "Inspect the internal encoding of a Redis object", Usage: "key", Complexity: "O(1)", Tips: nondeterministicOutput,
			Help: []string{"ENCODING <key>", "    Return the kind of internal representation used in order to store the value", "    associated with a <key>."},
			Run:  objectEncoding},
		{Name: "freq", Arity: 3, Flags: ReadOnly, Keys: subKey.access("RO"), Since: "4.0.0",
			Summary: "Get the logarithmic access frequency counter of a Redis object", Usage: "key", Complexity: "O(1)", Tips: nondeterministicOutput,
			Help: []string{"FREQ <key>", "    Return the access frequency index of the <key>. The returned integer is", "    proportional to the logarithm of the recent access frequency of the key."},
			Run:  objectFreq},
		{Name: "idletime", Arity: 3, Flags: ReadOnly, Keys: subKey.access("RO"), Since: "2.2.3",
			Summary: "Get the time since a Redis object was last accessed", Usage: "key", Complexity: "O(1)", Tips: nondeterministicOutput,
			Help: []string{"IDLETIME <key>", "    Return the idle time of the <key>, that is the approximated number of", "    seconds elapsed since the last access to the key."},
			Run:  objectIdleTime},
		{Name: "refcount", Arity: 3, Flags: ReadOnly, Keys: subKey.access("RO"), Since: "2.2.3",
			Summary: "Get the number of references to the value of the key", Usage: "key", Complexity: "O(1)", Tips: nondeterministicOutput,
			Help: []string{"REFCOUNT <key>", "    Return the number of references of the value associated with the specified", "    <key>."},
			Run:  objectRefCount},
		helpCommand("6.2.0"),
	},
})

const (
	errNoLFU Error = "ERR An LFU maxmemory policy is not selected, access frequency not tracked. " +
		"Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust."
	errLFU Error = "ERR An LFU maxmemory policy is selected, idle time not tracked. " +
		"Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust."
)

// longestEmbedded is the length in bytes up to which Redis keeps a string beside its
// object: what it calls embstr.
const longestEmbedded = 44

func objectEncoding(c *Call) error {
	e := c.Tx.Peek(c.Args[2])
	switch e.Kind() {
	case store.None:
		c.Out.Null()
	default:
		c.Out.BulkString(encoding(&e))
	}
	return nil
}

// encoding is what Redis calls the way in which an entry is kept.
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

func objectFreq(c *Call) error {
	e := c.Tx.Peek(c.Args[2])
	switch {
	case !e.Exists():
		c.Out.Null()
	case !c.Server.usesLFU():
		return errNoLFU
	default:
		c.Out.Int(e.Freq())
	}
	return nil
}

func objectIdleTime(c *Call) error {
	e := c.Tx.Peek(c.Args[2])
	switch {
	case !e.Exists():
		c.Out.Null()
	case c.Server.usesLFU():
		return errLFU
	default:
		c.Out.Int(e.Idle())
	}
	return nil
}

// objectRefCount says 1: no two keys share a value here.
func objectRefCount(c *Call) error {
	if e := c.Tx.Peek(c.Args[2]); e.Exists() {
		c.Out.Int(1)
	} else {
		c.Out.Null()
	}
	return nil
}

// usesLFU reports whether keys are evicted by how often they were used.
func (s *Server) usesLFU() bool {
	p := s.Config().MaxMemoryPolicy
	return p == config.AllKeysLFU || p == config.VolatileLFU
}
