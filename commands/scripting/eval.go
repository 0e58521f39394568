package scripting

import (
	"cellserver/commands"
	"cellserver/store"
)

// EVAL script numkeys [key …] [arg …] runs a Lua script and replies with what it returns. EVALSHA runs a
// script that the server knows, by the SHA-1 of its text. EVAL_RO and EVALSHA_RO run scripts that must not
// write.
//
// No other client sees the effects of a part of a script. The declared keys are locked. A script that uses
// other keys, too, begins again, and then runs alone.
var (
	_ = register("eval", "2.6.0", "Execute a Lua script server side", "script", writing)
	_ = register("evalsha", "2.6.0", "Execute a Lua script server side", "sha1", writing|bySHA)
	_ = register("eval_ro", "7.0.0", "Execute a read-only Lua script server side", "script", 0)
	_ = register("evalsha_ro", "7.0.0", "Execute a read-only Lua script server side", "sha1", bySHA)
)

// kind says how the commands differ.
type kind uint8

const (
	writing kind = 1 << iota // the script may write
	bySHA
)

func register(name, since, summary, script string, k kind) *commands.Command {
	c := &commands.Command{
		Name: name, Arity: -3, Flags: commands.NoScript | commands.Stale | commands.SkipMonitor | commands.NoMandatoryKeys | commands.RunsScript,
		Keys: commands.Keys{NumKeys: 2}, Group: commands.GroupScripting, Since: since, Summary: summary,
		Usage: script + " numkeys [key [key ...]] [arg [arg ...]]", Complexity: "Depends on the script that is executed.",
		Footprint: func(c *commands.Call, fp *store.Footprint) {
			c.Cmd.AddKeys(c, fp)
			c.Server.Scripts.Footprint(c, commands.ScriptOf(c), fp)
		},
		Run: func(c *commands.Call) error { return eval(c, k) },
	}
	if k&writing != 0 {
		c.Flags |= commands.MayReplicate
		c.Keys = c.Keys.With("RW ACCESS UPDATE")
	} else {
		c.Flags |= commands.ReadOnly
	}
	return commands.Register(c)
}

const (
	errNegativeKeys commands.Error = "ERR Number of keys can't be negative"
	errTooManyKeys  commands.Error = "ERR Number of keys can't be greater than number of args"
)

// shaLength is the length of a SHA-1 in hexadecimal digits.
const shaLength = 40

func eval(c *commands.Call, k kind) error {
	if k&bySHA != 0 && len(c.Args[1]) != shaLength {
		return commands.ErrNoScript
	}
	n, err := c.Int(2)
	rest := c.Args[3:]
	switch {
	case err != nil:
		return err
	case n > int64(len(rest)):
		return errTooManyKeys
	case n < 0:
		return errNegativeKeys
	}
	s := commands.ScriptOf(c)
	s.Keys, s.Args = rest[:n], rest[n:]
	return c.Server.Scripts.Run(c, s)
}
