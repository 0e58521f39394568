package commands

import (
	"slices"
	"strings"

	"cellserver/store"
)

// Flags say how a command may be run, in Redis's words (COMMAND INFO).
type Flags uint32

// The flags of a command. Source: https://redis.io/docs/latest/commands/command/#flags
const (
	Write           Flags = 1 << iota // may change the keyspace
	ReadOnly                          // reads the keyspace
	DenyOOM                           // refused when memory is over maxmemory
	Admin                             // changes the server, not the data
	Blocking                          // may wait
	Loading                           // allowed while data is loaded
	Stale                             // allowed on a stale replica
	NoMulti                           // not allowed in MULTI
	NoAuth                            // allowed before AUTH
	Fast                              // constant or logarithmic time
	NoScript                          // not for scripts
	SkipMonitor                       // not shown by MONITOR
	SkipSlowlog                       // not kept by SLOWLOG
	AllowBusy                         // allowed while a script runs
	NoAsyncLoading                    // refused while a replica loads in the background
	MayReplicate                      // held back by CLIENT PAUSE WRITE
	WholeKeyspace                     // works on the whole keyspace: locks every partition
	Immediate                         // runs at once inside MULTI instead of being queued
	PubSub                            // publishes or subscribes
	NoMandatoryKeys                   // its keys may all be absent
	WhileSubscribed                   // allowed to a RESP2 client that is subscribed
	movableKeys                       // its keys follow a count; derived
	LongRunning                       // its work grows with the product or the sum of several values
	Unpaused                          // runs while clients are paused; for DEBUG, which alone can move a stopped clock past the pause
)

// Group is the family a command is documented in, in Redis's words.
type Group string

// The families of commands.
const (
	GroupConnection  Group = "connection"
	GroupGeneric     Group = "generic"
	GroupServer      Group = "server"
	GroupString      Group = "string"
	GroupSortedSet   Group = "sorted-set"
	GroupTransaction Group = "transactions"
	GroupPubSub      Group = "pubsub"
	GroupCluster     Group = "cluster"
	GroupLimiter     Group = "limiter"
)

// Command is one row of the table.
type Command struct {
	Name       string // lower case; a subcommand's own name, without its parent's
	Arity      int    // number of arguments, the name (and subcommand) included; -n: at least n
	Flags      Flags
	Keys       Keys
	Group      Group
	Since      string   // the Redis version, or "" for our own
	Summary    string   // one sentence
	Usage      string   // the arguments, as in Redis's reference: "key [NX | XX]"
	Complexity string   // "O(1)"
	Tips       []string // COMMAND's tips
	Categories []string // ACL categories, when they are not those of the group
	Help       []string // lines of the parent's HELP, for a subcommand
	Deprecated Deprecation

	// Run parses, acts and replies. Its error is the reply, and then nothing was
	// written. Nil for a parent of subcommands that cannot run by itself.
	Run func(c *Call) error

	// Footprint adds partitions beyond those of Keys, for commands that know them
	// only from the client's state. Nil for none.
	Footprint func(c *Call, fp *store.Footprint)

	// KeyAccess says how one call uses its keys, in the words of Keys.Access, where that
	// depends on its options (VARIABLE_FLAGS). Nil where it does not.
	KeyAccess func(args [][]byte) string

	Subs []*Command // subcommands, of a parent

	parent   *Command
	index    int  // in everyCommand, and of its counters in a Server
	onOneKey bool // its first argument is all that it works on
}

// Deprecation says since which Redis version a command need not be used, and what takes
// its place; the zero value that it may.
type Deprecation struct{ Since, By string }

// Keys says which arguments are keys: First, First+Step … Last (negative: from the
// end), or with NumKeys, the position of a count, as many after it as it says, Step apart.
type Keys struct {
	First, Last, Step int
	NumKeys           int
	Access            string // how they are used, in the words of key specs: "RW ACCESS UPDATE" (keyspec.go)
}

// Key positions that many commands share.
var (
	OneKey  = Keys{First: 1, Last: 1, Step: 1}
	TwoKeys = Keys{First: 1, Last: 2, Step: 1}
	AllKeys = Keys{First: 1, Last: -1, Step: 1}
	SubKey  = Keys{First: 2, Last: 2, Step: 1}

	UpdatedKey = OneKey.With("RW ACCESS UPDATE") // its old value counts
)

// Flags that many commands share: those of what concerns the connection alone, and those
// of what concerns the server.
const (
	ConnectionFlags = NoScript | Loading | Stale
	AdminFlags      = Admin | ConnectionFlags
)

// MayTakeLong are the flags of commands that no other client shall wait for: those on the whole
// keyspace or on several large values, and what is done to the server.
const MayTakeLong = WholeKeyspace | LongRunning | Admin

// Tips that many commands share.
var (
	NondeterministicOutput = []string{"nondeterministic_output"}
	NondeterministicOrder  = []string{"nondeterministic_output_order"}
	MultiShardSum          = []string{"request_policy:multi_shard", "response_policy:agg_sum"}
	AllShardsSucceed       = []string{"request_policy:all_shards", "response_policy:all_succeeded"}
	AllNodesSucceed        = []string{"request_policy:all_nodes", "response_policy:all_succeeded"}
)

// With gives key positions their key-spec flags.
func (k Keys) With(flags string) Keys {
	k.Access = flags
	return k
}

var (
	// table holds every command by its lower-case name.
	table = map[string]*Command{}
	// everyCommand holds all of them and their subcommands, in the order of registration.
	everyCommand []*Command
)

// Register enters a command into the table.
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

// enter gives a command its index, and derives what the hot path asks of it.
func (c *Command) enter() {
	c.index = len(everyCommand)
	c.onOneKey = c.Keys.First == 1 && c.Keys.Last == 1 && c.Keys.NumKeys == 0 && c.Footprint == nil && c.Flags&WholeKeyspace == 0
	everyCommand = append(everyCommand, c)
}

// Index numbers the commands and subcommands in the order of registration, from 0 on.
func (c *Command) Index() int { return c.index }

// Count returns the number of registered commands and subcommands.
func Count() int { return len(everyCommand) }

// OnOneKey reports whether the first argument is all that the command works on.
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

// Sub returns the subcommand of a name in any case.
func (c *Command) Sub(name []byte) *Command {
	for _, s := range c.Subs {
		if strings.EqualFold(s.Name, string(name)) {
			return s
		}
	}
	return nil
}

// longestName bounds what lookup folds to lower case.
const longestName = 32

// lookup returns the command of a name in any case, nil if there is none.
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

// Named returns the command or subcommand ("client|kill") of a name, nil if none.
func Named(name []byte) *Command {
	parent, sub, isSub := strings.Cut(string(name), "|")
	cmd := Lookup([]byte(parent))
	if isSub && cmd != nil {
		return cmd.Sub([]byte(sub))
	}
	return cmd
}

// byName returns every command and subcommand by its full name.
func ByName() []*Command {
	return slices.SortedFunc(slices.Values(everyCommand), func(a, b *Command) int {
		return strings.Compare(a.FullName(), b.FullName())
	})
}

// TopLevel returns every command by name, subcommands left out.
func TopLevel() []*Command {
	return slices.DeleteFunc(ByName(), func(c *Command) bool { return c.parent != nil })
}

// resolve finds what args call: the command, or the subcommand of a parent. When there
// is none it says so in Redis's words; the arguments too few or too many, it gives both.
func Resolve(cmd *Command, args [][]byte) (*Command, error) {
	if cmd == nil {
		return nil, unknownCommand(args)
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

// LookupCache remembers a client's last command by its name as the client wrote it. Pipelines
// mostly repeat a name to the letter, and a comparison is cheaper than a search in the table.
type LookupCache struct {
	cmd  *Command
	size int
	name [longestName]byte
}

// Cmd returns the last command, nil if there was none.
func (l *LookupCache) Cmd() *Command { return l.cmd }

// Is reports whether a name is the last one, to the letter.
func (l *LookupCache) Is(name []byte) bool { return string(name) == string(l.name[:l.size]) }

// Lookup is [Lookup] with a memory.
func (l *LookupCache) Lookup(name []byte) *Command {
	if !l.Is(name) || l.cmd == nil {
		l.cmd = Lookup(name)
		l.size = copy(l.name[:], name)
	}
	return l.cmd
}

// Takes reports whether a call may have n arguments.
func (c *Command) Takes(n int) bool { return n == c.Arity || c.Arity < 0 && n >= -c.Arity }

// EachKey calls do with every key of a call. The arity was checked; a count of keys
// that cannot be right names none, and the command itself answers with its error.
func (c *Command) EachKey(args [][]byte, do func(key []byte)) {
	k := &c.Keys
	last := k.Last
	if last < 0 {
		last += len(args)
	}
	for i := k.First; i > 0 && i <= last && i < len(args); i += k.Step {
		do(args[i])
	}
	if k.NumKeys > 0 {
		keys := k.Counted(args)
		for i := 0; i < len(keys); i += k.step() {
			do(keys[i])
		}
	}
}

// step is how far apart keys after a count are.
func (k *Keys) step() int { return max(k.Step, 1) }

// Counted returns the arguments after a count, from the first key to the last.
func (k *Keys) Counted(args [][]byte) [][]byte {
	if k.NumKeys >= len(args) {
		return nil
	}
	n, ok := ParseInt(args[k.NumKeys])
	rest := args[k.NumKeys+1:]
	if !ok || n <= 0 || n > int64(len(rest)) {
		return nil
	}
	last := (int(n) - 1) * k.step()
	if last >= len(rest) {
		return nil
	}
	return rest[:last+1]
}

// AddFootprint adds the partitions that a call works on.
func (c *Command) AddFootprint(call *Call, fp *store.Footprint) {
	if c.Flags&WholeKeyspace != 0 {
		fp.AddAll()
		return
	}
	if k := &c.Keys; k.NumKeys == 0 && k.First > 0 && k.First == k.Last {
		if k.First < len(call.Args) {
			fp.AddKey(call.Args[k.First])
		}
	} else {
		c.EachKey(call.Args, fp.AddKey)
	}
	if c.Footprint != nil {
		c.Footprint(call, fp)
	}
}
