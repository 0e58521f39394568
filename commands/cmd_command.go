package commands

import (
	"slices"
	"strings"

	"cellserver/resp"
)

// COMMAND tells clients what the table holds.
var _ = register(&Command{
	Name: "command", Arity: -1, Flags: Loading | Stale, Group: ServerGroup, Since: "2.8.13", Categories: []string{"connection"},
	Tips:    nondeterministicOrder,
	Summary: "Get array of Redis command details", Complexity: "O(N) where N is the total number of Redis commands",
	Run: commandAll,
	Subs: []*Command{
		{Name: "count", Arity: 2, Flags: Loading | Stale, Since: "2.8.13", Run: commandCount, Categories: []string{"connection"},
			Summary: "Get total number of Redis commands", Complexity: "O(1)",
			Help: []string{"(no subcommand)", "    Return details about all Redis commands.",
				"COUNT", "    Return the total number of commands in this Redis server."}},
		{Name: "info", Arity: -2, Flags: Loading | Stale, Since: "2.8.13", Run: commandInfo, Categories: []string{"connection"},
			Tips:    nondeterministicOrder,
			Summary: "Get array of specific Redis command details, or all when no argument is given.", Usage: "[command-name [command-name ...]]",
			Complexity: "O(N) where N is the number of commands to look up",
			Help: []string{"INFO [<command-name> ...]", "    Return details about multiple Redis commands.",
				"    If no command names are given, documentation details for all", "    commands are returned."}},
		{Name: "docs", Arity: -2, Flags: Loading | Stale, Since: "7.0.0", Run: commandDocs, Categories: []string{"connection"},
			Tips:    nondeterministicOrder,
			Summary: "Get array of specific Redis command documentation", Usage: "[command-name [command-name ...]]",
			Complexity: "O(N) where N is the number of commands to look up",
			Help: []string{"DOCS [<command-name> ...]", "    Return documentation details about multiple Redis commands.",
				"    If no command names are given, documentation details for all", "    commands are returned."}},
		{Name: "list", Arity: -2, Flags: Loading | Stale, Since: "7.0.0", Run: commandList, Categories: []string{"connection"},
			Tips:    nondeterministicOrder,
			Summary: "Get an array of Redis command names", Usage: "[FILTERBY <MODULE module-name | ACLCAT category | PATTERN pattern>]",
			Complexity: "O(N) where N is the total number of Redis commands",
			Help:       []string{"LIST", "    Return a list of all commands in this Redis server."}},
		{Name: "getkeys", Arity: -4, Flags: Loading | Stale, Since: "2.8.13", Run: commandGetKeys, Categories: []string{"connection"},
			Summary: "Extract keys given a full Redis command", Usage: "command [arg [arg ...]]",
			Complexity: "O(N) where N is the number of arguments to the command",
			Help:       []string{"GETKEYS <full-command>", "    Return the keys from a full Redis command."}},
		{Name: "getkeysandflags", Arity: -4, Flags: Loading | Stale, Since: "7.0.0", Run: commandGetKeysAndFlags, Categories: []string{"connection"},
			Summary: "Extract keys and access flags given a full Redis command", Usage: "command [arg [arg ...]]",
			Complexity: "O(N) where N is the number of arguments to the command",
			Help:       []string{"GETKEYSANDFLAGS <full-command>", "    Return the keys and the access flags from a full Redis command."}},
		commandHelp,
	},
})

var commandHelp = func() *Command {
	help := helpCommand("5.0.0")
	help.Categories = []string{"connection"}
	return help
}()

func commandAll(c *Call) error {
	all := withoutSubs()
	c.Out.Array(len(all))
	for _, cmd := range all {
		cmd.replyInfo(c.Out)
	}
	return nil
}

func commandCount(c *Call) error {
	c.Out.Int(int64(len(table)))
	return nil
}

func commandInfo(c *Call) error {
	if len(c.Args) == 2 {
		return commandAll(c)
	}
	c.Out.Array(len(c.Args) - 2)
	for _, name := range c.Args[2:] {
		if cmd := named(name); cmd != nil {
			cmd.replyInfo(c.Out)
		} else {
			c.Out.Null()
		}
	}
	return nil
}

// replyInfo writes the ten elements of COMMAND INFO.
func (c *Command) replyInfo(w *resp.Writer) {
	first, last, step := c.legacyRange()
	w.Array(10)
	w.BulkString(c.FullName())
	w.Int(int64(c.Arity))
	simpleSet(w, c.flagNames())
	w.Int(int64(first))
	w.Int(int64(last))
	w.Int(int64(step))
	simpleSet(w, c.categories())
	stringSet(w, c.Tips)
	specs := c.Keys.specs()
	w.Set(len(specs))
	for _, s := range specs {
		s.reply(w)
	}
	w.Set(len(c.Subs))
	for _, s := range c.Subs {
		s.replyInfo(w)
	}
}

func commandDocs(c *Call) error {
	var found []*Command
	if len(c.Args) == 2 {
		found = withoutSubs()
	}
	for _, name := range c.Args[2:] {
		if cmd := named(name); cmd != nil {
			found = append(found, cmd)
		}
	}
	c.Out.Map(len(found))
	for _, cmd := range found {
		c.Out.BulkString(cmd.FullName())
		cmd.replyDocs(c.Out)
	}
	return nil
}

func (c *Command) replyDocs(w *resp.Writer) {
	rows := [][2]string{{"summary", c.Summary}, {"since", c.Since}, {"group", string(c.Group)}, {"complexity", c.Complexity},
		{"deprecated_since", c.Deprecated.since}, {"replaced_by", c.Deprecated.by}}
	rows = slices.DeleteFunc(rows, func(r [2]string) bool { return r[1] == "" })
	n := len(rows)
	isDeprecated := c.Deprecated != deprecation{}
	if isDeprecated {
		n++
	}
	if len(c.Subs) > 0 {
		n++
	}
	w.Map(n)
	for _, r := range rows {
		field(w, r[0], r[1])
	}
	if isDeprecated {
		w.BulkString("doc_flags")
		simpleSet(w, []string{"deprecated"})
	}
	if len(c.Subs) == 0 {
		return
	}
	w.BulkString("subcommands")
	w.Map(len(c.Subs))
	for _, s := range c.Subs {
		w.BulkString(s.FullName())
		s.replyDocs(w)
	}
}

func commandList(c *Call) error {
	keep := func(*Command) bool { return true }
	switch args := c.Args[2:]; {
	case len(args) == 0:
	case len(args) != 3 || !is(args[0], "filterby"):
		return errSyntax
	case is(args[1], "module"):
		keep = func(*Command) bool { return false } // there are no modules
	case is(args[1], "aclcat"):
		category := "@" + strings.ToLower(string(args[2]))
		keep = func(cmd *Command) bool { return slices.Contains(cmd.categories(), category) }
	case is(args[1], "pattern"):
		keep = func(cmd *Command) bool { return globFold(args[2], cmd.FullName()) }
	default:
		return errSyntax
	}
	array, n := c.Out.DeferArray(), 0
	for _, cmd := range byName() {
		if keep(cmd) {
			c.Out.BulkString(cmd.FullName())
			n++
		}
	}
	c.Out.SetArray(array, n)
	return nil
}

const errNoKeysFound Error = "ERR Invalid arguments specified for command"

// keysOf finds the command that the arguments after GETKEYS call, and that it has keys.
func (c *Call) keysOf() (*Command, [][]byte, error) {
	args := c.Args[2:]
	cmd := lookup(args[0])
	if cmd != nil && len(cmd.Subs) > 0 && len(args) > 1 {
		cmd = cmd.sub(args[1])
	}
	switch {
	case cmd == nil:
		return nil, nil, Error("ERR Invalid command specified")
	case !cmd.hasKeys():
		return nil, nil, Error("ERR The command has no key arguments")
	case !cmd.takes(len(args)):
		return nil, nil, Error("ERR Invalid number of arguments specified for command")
	case cmd.Keys.NumKeys > 0 && len(cmd.Keys.counted(args)) == 0 && cmd.Flags&NoMandatoryKeys == 0:
		return nil, nil, errNoKeysFound
	}
	return cmd, args, nil
}

func commandGetKeys(c *Call) error {
	cmd, args, err := c.keysOf()
	if err != nil {
		return err
	}
	array, n := c.Out.DeferArray(), 0
	cmd.eachKey(args, func(key []byte) {
		c.Out.Bulk(key)
		n++
	})
	if n == 0 && cmd.Flags&NoMandatoryKeys == 0 {
		return errNoKeysFound
	}
	c.Out.SetArray(array, n)
	return nil
}

func commandGetKeysAndFlags(c *Call) error {
	cmd, args, err := c.keysOf()
	if err != nil {
		return err
	}
	keys := cmd.Keys
	if cmd.KeyAccess != nil {
		keys.Access = cmd.KeyAccess(args)
	}
	array, n := c.Out.DeferArray(), 0
	for _, s := range keys.specs() {
		part := Command{Keys: Keys{First: s.first, Last: s.last, Step: s.step}}
		if s.last >= 0 {
			part.Keys.Last += s.first
		}
		if s.numKeys {
			part.Keys = Keys{NumKeys: s.first, Step: s.step}
		}
		part.eachKey(args, func(key []byte) {
			c.Out.Array(2)
			c.Out.Bulk(key)
			s.replyAccess(c.Out)
			n++
		})
	}
	if n == 0 && cmd.Flags&NoMandatoryKeys == 0 {
		return errNoKeysFound
	}
	c.Out.SetArray(array, n)
	return nil
}
