package commands

import (
	"slices"
	"strings"

	"cellserver/acl"
	"cellserver/store"
)

// Flags say how a command may run, in the terms of COMMAND INFO.
type Flags uint32

// The flags of a command. Source: https://redis.io/docs/latest/commands/command/#flags
const (
	Write           Flags = 1 << iota // may change the keyspace
	ReadOnly                          // reads the keyspace
	DenyOOM                           // refused when memory is over maxmemory
	Admin                             // changes the server, not the data
	Blocking                          // may wait for other clients
	Loading                           // allowed while data is loaded
	Stale                             // allowed on a replica with stale data
	NoMulti                           // not allowed in MULTI
	NoAuth                            // allowed before AUTH
	Fast                              // constant or logarithmic time
	NoScript                          // not for scripts
	SkipMonitor                       // not shown by MONITOR
	SkipSlowlog                       // not kept by SLOWLOG
	AllowBusy                         // allowed while a script runs
	NoAsyncLoading                    // refused while a replica loads in the background
	MayReplicate                      // held back by CLIENT PAUSE WRITE
	WholeKeyspace                     // works on the whole keyspace, so it locks every partition
	Immediate                         // runs at once inside MULTI; MULTI does not queue it
	PubSub                            // publishes or subscribes
	NoMandatoryKeys                   // a call may name no key
	WhileSubscribed                   // allowed to a RESP2 client that is subscribed
	movableKeys                       // its keys follow a count; derived from Keys
	Unpaused                          // runs while clients are paused; DEBUG needs it to move a stopped clock past the pause
	RunsScript                        // runs a script, which calls commands
)

// Group is the family of a command in the documentation, in the terms of COMMAND DOCS.
type Group string

// The families of commands.
const (
	GroupConnection  Group = "connection"
	GroupGeneric     Group = "generic"
	GroupServer      Group = "server"
	GroupString      Group = "string"
	GroupSortedSet   Group = "sorted-set"
	GroupHash        Group = "hash"
	GroupSet         Group = "set"
	GroupList        Group = "list"
	GroupTransaction Group = "transactions"
	GroupPubSub      Group = "pubsub"
	GroupCluster     Group = "cluster"
	GroupLimiter     Group = "limiter"
	GroupScripting   Group = "scripting"
)

// Command is one row of the table.
type Command struct {
	Name       string // lower case; a subcommand has its own name, without the name of its parent
	Arity      int    // number of words, with the name and the subcommand; -n means at least n
	Flags      Flags
	Keys       Keys
	Group      Group
	Tips       []string // tips of COMMAND INFO
	Categories []string // ACL categories; nil for the categories of the group

	// Run parses the arguments, acts and replies. If Run returns an error, the error is the reply,
	// and Run has written nothing. Run is nil for a parent that only works with a subcommand.
	Run func(c *Call) error

	// Footprint adds all partitions of a call. Commands need it if their keys depend on more than the
	// arguments. It may call [Command.EachKey] for the keys in the arguments. Nil adds the partitions
	// of Keys.
	Footprint func(c *Call, fp *store.Footprint)

	// Prefetch prefetches the keys of a later call of the same batch. args are the words of that call,
	// with the name. It must not change anything. Nil prefetches nothing. Commands on one key need no
	// Prefetch, because the server prefetches their keys.
	Prefetch func(c *Conn, s *Server, tx *store.Tx, args [][]byte)

	// LastKey returns the position of the last key of a call, by the rules in force: a rule has a key for
	// each scope. Nil if Keys says it. Run asks Runner.Permit again, because another client may change the
	// rules in between.
	LastKey func(c *Call) int

	// KeyAccess returns the access flags of one call, in the notation of Keys.Access. Only commands
	// with the flag VARIABLE_FLAGS have it: their access depends on the options.
	KeyAccess func(args [][]byte) string

	// Cost prices a call. Nil if it never takes long.
	Cost Cost

	Channels Channels // which arguments are channels

	Subs []*Command // subcommands, of a parent

	parent   *Command
	index    int              // position in everyCommand; counters of the command have the same index
	needs    []acl.Permission // of each key specification
	onOneKey bool             // the command works on the key in its first argument, and on nothing else
}

// MaxSteps is for how many steps the other clients of an event loop may wait. A step takes about 0.1 µs: so
// long takes the reply with one member of a sorted set, or with 64 bytes of a string.
const MaxSteps = 50_000

// A Cost says about how many steps a call takes, from its arguments and the sizes of its values. The server
// asks once, with the keys locked and before Run. A call of more than [MaxSteps] runs where no other client
// waits for it. A call with wrong arguments may cost anything.
type Cost func(c *Call) int

// Long reports whether other clients must not wait for a call.
func (c *Call) Long() bool { return c.Cmd.Cost != nil && c.Cmd.Cost(c) > MaxSteps }

// Flags that many commands share. Commands with ConnectionFlags affect only their connection.
// Commands with AdminFlags affect the server.
const (
	ConnectionFlags = NoScript | Loading | Stale
	AdminFlags      = Admin | ConnectionFlags
)

// NeverInline are the flags of commands that the server runs where no other connection waits for them.
const NeverInline = WholeKeyspace | Admin

// Tips that many commands share.
var (
	NondeterministicOutput = []string{"nondeterministic_output"}
	NondeterministicOrder  = []string{"nondeterministic_output_order"}
	MultiShardSum          = []string{"request_policy:multi_shard", "response_policy:agg_sum"}
	AllShardsSucceed       = []string{"request_policy:all_shards", "response_policy:all_succeeded"}
	AllNodesSucceed        = []string{"request_policy:all_nodes", "response_policy:all_succeeded"}
)

var (
	// table holds every command by its lower-case name.
	table = map[string]*Command{}
	// everyCommand holds all commands and subcommands, in the order of registration.
	everyCommand []*Command
)

// Register enters a command and its subcommands into the table. It panics if the name is taken.
// Only package variables call it, so the table is complete before main runs.
func Register(c *Command) *Command {
	if table[c.Name] != nil {
		panic("commands: " + c.Name + " is registered twice")
	}
	table[c.Name] = c
	c.enter()
	for _, s := range c.Subs {
		s.parent = c
		s.enter()
		if s.Group == "" {
			s.Group = c.Group
		}
	}
	return c
}

// enter gives a command its index and computes the values that dispatch reads.
func (c *Command) enter() {
	c.index = len(everyCommand)
	c.onOneKey = c.Keys.First == 1 && c.Keys.Last == 1 && c.Keys.NumKeys == 0 && c.Footprint == nil && c.Flags&WholeKeyspace == 0
	c.needs = permissions(c.Keys.Access)
	everyCommand = append(everyCommand, c)
}

// Index is the number of the command, from 0 to Count()-1, in the order of registration.
func (c *Command) Index() int { return c.index }

// Count returns the number of registered commands and subcommands.
func Count() int { return len(everyCommand) }

// OnOneKey reports whether the command works on the key in its first argument, and on nothing else.
func (c *Command) OnOneKey() bool { return c.onOneKey }

// IsSubOf reports whether the command is a subcommand of a parent. A nil command is not.
func (c *Command) IsSubOf(parent string) bool {
	return c != nil && c.parent != nil && c.parent.Name == parent
}

// FullName is the name as Redis writes it: "get", "client|kill".
func (c *Command) FullName() string {
	if c.parent != nil {
		return c.parent.Name + "|" + c.Name
	}
	return c.Name
}

// Sub returns the subcommand of a name in any case, nil if there is no such subcommand.
func (c *Command) Sub(name []byte) *Command {
	for _, s := range c.Subs {
		if Is(name, s.Name) {
			return s
		}
	}
	return nil
}

// longestName is the largest length in bytes of a name that Lookup finds.
const longestName = 32

// Lookup returns the command of a name in any case, nil if there is no such command.
func Lookup(name []byte) *Command {
	if len(name) > longestName {
		return nil
	}
	var buf [longestName]byte
	for i, b := range name {
		if 'A' <= b && b <= 'Z' {
			b += 'a' - 'A'
		}
		buf[i] = b
	}
	return table[string(buf[:len(name)])]
}

// Named returns the command or subcommand of a full name ("client|kill") in any case, nil if there
// is no such command.
func Named(name []byte) *Command {
	parent, sub, isSub := strings.Cut(string(name), "|")
	cmd := Lookup([]byte(parent))
	if isSub && cmd != nil {
		return cmd.Sub([]byte(sub))
	}
	return cmd
}

// ByName returns every command and subcommand, sorted by full name.
func ByName() []*Command {
	return slices.SortedFunc(slices.Values(everyCommand), func(a, b *Command) int {
		return strings.Compare(a.FullName(), b.FullName())
	})
}

// TopLevel returns every command without the subcommands, sorted by name.
func TopLevel() []*Command {
	return slices.DeleteFunc(ByName(), func(c *Command) bool { return c.parent != nil })
}

// Resolve returns the command of a call, or the subcommand if cmd is a parent. cmd is the result of
// [Lookup] for args[0]. Errors have the texts of Redis. For a wrong number of arguments Resolve
// returns the command and an error.
func Resolve(cmd *Command, args [][]byte) (*Command, error) {
	if cmd == nil {
		return nil, UnknownCommand(args)
	}
	if len(cmd.Subs) > 0 && len(args) > 1 {
		sub := cmd.Sub(args[1])
		if sub == nil {
			return nil, unknownSubcommand(cmd.Name, args[1])
		}
		cmd = sub
	}
	if !cmd.Takes(len(args)) {
		return cmd, WrongArity(cmd.FullName())
	}
	return cmd, nil
}

// Fits reports whether a call of n words needs no [Resolve]. Nil fits none.
func (c *Command) Fits(n int) bool { return c != nil && len(c.Subs) == 0 && c.Takes(n) }

// Takes reports whether a call may have n words, the name included.
func (c *Command) Takes(n int) bool { return n == c.Arity || c.Arity < 0 && n >= -c.Arity }

// HasKeys reports whether the command has key arguments.
func (c *Command) HasKeys() bool {
	return c.Keys.First > 0 || c.Keys.NumKeys > 0 || c.Keys.Inner != nil
}

// EachKey calls do with every key of a call that [Command.Keys] says.
func (c *Command) EachKey(args [][]byte, do func(key []byte)) { c.Keys.Each(args, do) }

// AddFootprint adds the partitions of a call to a footprint.
func (c *Command) AddFootprint(call *Call, fp *store.Footprint) {
	switch {
	case c.Flags&WholeKeyspace != 0:
		fp.AddAll()
	case c.Footprint != nil:
		c.Footprint(call, fp)
	default:
		c.Keys.Each(call.Args, fp.AddKey)
		if c.Flags&RunsScript != 0 {
			call.Server.Scripts.Footprint(call, ScriptOf(call), fp)
		}
	}
}
