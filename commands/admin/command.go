package admin

import (
	"slices"
	"strings"

	"cellserver/commands"
	"cellserver/internal/glob"
	"cellserver/resp"
)

// COMMAND describes the commands of the table to clients.
var _ = commands.Register(&commands.Command{
	Name: "command", Arity: -1, Flags: commands.Loading | commands.Stale, Group: commands.GroupServer,
	Categories: []string{"connection"}, Tips: commands.NondeterministicOrder, Run: commandAll,
	Subs: []*commands.Command{
		{
			Name: "count", Arity: 2, Flags: commands.Loading | commands.Stale,
			Categories: []string{"connection"}, Run: commandCount,
		},
		{
			Name: "info", Arity: -2, Flags: commands.Loading | commands.Stale,
			Categories: []string{"connection"}, Tips: commands.NondeterministicOrder, Run: commandInfo,
		},
		{
			Name: "docs", Arity: -2, Flags: commands.Loading | commands.Stale,
			Categories: []string{"connection"}, Tips: commands.NondeterministicOrder, Run: commandDocs,
		},
		{
			Name: "list", Arity: -2, Flags: commands.Loading | commands.Stale,
			Categories: []string{"connection"}, Tips: commands.NondeterministicOrder, Run: commandList,
		},
		{
			Name: "getkeys", Arity: -4, Flags: commands.Loading | commands.Stale,
			Categories: []string{"connection"}, Run: commandGetKeys, Footprint: commands.RulesFootprint,
		},
		{
			Name: "getkeysandflags", Arity: -4, Flags: commands.Loading | commands.Stale,
			Categories: []string{"connection"}, Run: commandGetKeysAndFlags,
			Footprint: commands.RulesFootprint,
		},
		{
			Name: "help", Arity: 2, Flags: commands.Loading | commands.Stale,
			Categories: []string{"connection"}, Run: commands.HelpOfParent,
		},
	},
})

func commandAll(c *commands.Call) error {
	all := commands.TopLevel()
	c.Out.Array(len(all))
	for _, cmd := range all {
		replyInfo(cmd, c.Out)
	}
	return nil
}

func commandCount(c *commands.Call) error {
	c.Out.Int(int64(len(commands.TopLevel())))
	return nil
}

func commandInfo(c *commands.Call) error {
	if len(c.Args) == 2 {
		return commandAll(c)
	}
	c.Out.Array(len(c.Args) - 2)
	for _, name := range c.Args[2:] {
		if cmd := commands.Named(name); cmd != nil {
			replyInfo(cmd, c.Out)
		} else {
			c.Out.Null()
		}
	}
	return nil
}

// replyInfo writes the ten elements of COMMAND INFO.
func replyInfo(c *commands.Command, w *resp.Writer) {
	first, last, step := c.LegacyRange()
	w.Array(10)
	w.BulkString(c.FullName())
	w.Int(int64(c.Arity))
	commands.SimpleSet(w, c.FlagNames())
	w.Int(int64(first))
	w.Int(int64(last))
	w.Int(int64(step))
	commands.SimpleSet(w, c.ACLCategories())
	commands.StringSet(w, c.Tips)
	specs := c.KeySpecs()
	w.Set(len(specs))
	for _, s := range specs {
		s.Reply(w)
	}
	w.Set(len(c.Subs))
	for _, s := range c.Subs {
		replyInfo(s, w)
	}
}

func commandList(c *commands.Call) error {
	keep := func(*commands.Command) bool { return true }
	switch args := c.Args[2:]; {
	case len(args) == 0:
	case len(args) != 3 || !commands.Is(args[0], "filterby"):
		return commands.ErrSyntax
	case commands.Is(args[1], "module"):
		keep = func(*commands.Command) bool { return false } // there are no modules
	case commands.Is(args[1], "aclcat"):
		category := "@" + strings.ToLower(string(args[2]))
		keep = func(cmd *commands.Command) bool { return slices.Contains(cmd.ACLCategories(), category) }
	case commands.Is(args[1], "pattern"):
		keep = func(cmd *commands.Command) bool { return glob.MatchFold(args[2], cmd.FullName()) }
	default:
		return commands.ErrSyntax
	}
	array, n := c.Out.DeferArray(), 0
	for _, cmd := range commands.ByName() {
		if keep(cmd) {
			c.Out.BulkString(cmd.FullName())
			n++
		}
	}
	c.Out.SetArray(array, n)
	return nil
}

const errNoKeysFound commands.Error = "ERR Invalid arguments specified for command"

// keysOf returns the call that follows GETKEYS, and where its keys are. It returns an error if the command
// has no keys.
func keysOf(c *commands.Call) (of commands.Call, k commands.Keys, err error) {
	c.Hide(3) // the call may be AUTH
	args := c.Args[2:]
	cmd := commands.Lookup(args[0])
	if cmd != nil && len(cmd.Subs) > 0 && len(args) > 1 {
		cmd = cmd.Sub(args[1])
	}
	switch {
	case cmd == nil:
		return of, k, commands.Error("ERR Invalid command specified")
	case !cmd.HasKeys():
		return of, k, commands.Error("ERR The command has no key arguments")
	case !cmd.Takes(len(args)):
		return of, k, commands.Error("ERR Invalid number of arguments specified for command")
	case cmd.Keys.NumKeys > 0 && cmd.Keys.Counted(args) == 0 && cmd.Flags&commands.NoMandatoryKeys == 0:
		return of, k, errNoKeysFound
	}
	of = c.Other(cmd, args)
	return of, of.KeysNow(), nil
}

func commandGetKeys(c *commands.Call) error {
	of, keys, err := keysOf(c)
	if err != nil {
		return err
	}
	array, n := c.Out.DeferArray(), 0
	keys.Each(of.Args, func(key []byte) {
		c.Out.Bulk(key)
		n++
	})
	if n == 0 && of.Cmd.Flags&commands.NoMandatoryKeys == 0 {
		return errNoKeysFound
	}
	c.Out.SetArray(array, n)
	return nil
}

func commandGetKeysAndFlags(c *commands.Call) error {
	of, keys, err := keysOf(c)
	if err != nil {
		return err
	}
	if of.Cmd.KeyAccess != nil {
		keys.Access = of.Cmd.KeyAccess(of.Args)
	}
	array, n := c.Out.DeferArray(), 0
	for _, s := range keys.Specs() {
		part := commands.Keys{First: s.First, Last: s.Last, Step: s.Step}
		if s.Last >= 0 {
			part.Last += s.First
		}
		if s.NumKeys {
			part = commands.Keys{NumKeys: s.First, Step: s.Step, Skip: s.Skip}
		}
		part.Each(of.Args, func(key []byte) {
			c.Out.Array(2)
			c.Out.Bulk(key)
			s.ReplyAccess(c.Out)
			n++
		})
	}
	if n == 0 && of.Cmd.Flags&commands.NoMandatoryKeys == 0 {
		return errNoKeysFound
	}
	c.Out.SetArray(array, n)
	return nil
}
