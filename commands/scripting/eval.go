package scripting

import "cellserver/commands"

// EVAL script numkeys [key …] [arg …] runs a Lua script and replies with what it returns. EVALSHA runs a
// script that the server knows, by the SHA-1 of its text. EVAL_RO and EVALSHA_RO run scripts that must not
// write.
//
// No other client sees the effects of a part of a script. The declared keys are locked. A script that uses
// other keys, too, begins again, and then runs alone.
var (
	_ = register("eval", true)
	_ = register("evalsha", true)
	_ = register("eval_ro", false)
	_ = register("evalsha_ro", false)
)

// register registers a command. `writes` says that its scripts may write.
func register(name string, writes bool) *commands.Command {
	c := &commands.Command{
		Name: name, Arity: -3, Keys: commands.Keys{NumKeys: 2}, Group: commands.GroupScripting, Run: eval,
		Flags: commands.NoScript | commands.Stale | commands.SkipMonitor | commands.NoMandatoryKeys |
			commands.RunsScript,
	}
	if writes {
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

func eval(c *commands.Call) error {
	s := commands.ScriptOf(c)
	if s.BySHA && len(s.Text) != shaLength {
		return commands.ErrNoScript
	}
	n, rest := c.Cmd.Keys.Counted(c.Args), c.Args[3:]
	if n == 0 {
		if err := hasNoKeys(c); err != nil {
			return err
		}
	}
	s.Keys, s.Args = rest[:n], rest[n:]
	return c.Server.Scripts.Run(c, s)
}

// hasNoKeys returns the error of a wrong number of keys, nil for 0.
func hasNoKeys(c *commands.Call) error {
	switch n, err := c.Int(2); {
	case err != nil:
		return err
	case n < 0:
		return errNegativeKeys
	case n > 0:
		return errTooManyKeys
	}
	return nil
}
