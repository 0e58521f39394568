package commands

import (
	"slices"
	"strings"
)

// helpCommand is the HELP of a parent whose subcommands bring their own lines.
func helpCommand(since string) *Command {
	return &Command{
		Name: "help", Arity: 2, Flags: Loading | Stale, Since: since, Run: helpOfParent,
		Summary: "Show helpful text about the different subcommands", Complexity: "O(1)",
	}
}

func helpOfParent(c *Call) error {
	parent := c.Cmd.parent
	var lines []string
	for _, s := range parent.Subs {
		lines = slices.Concat(lines, s.Help)
	}
	return c.help(strings.ToUpper(parent.Name), lines...)
}

// subcommandSyntax is the answer of a subcommand that got arguments it does not know.
func (c *Call) subcommandSyntax() error {
	return unknownSubcommandOrArity(strings.ToUpper(c.Cmd.parent.Name), c.Args[1])
}

// help replies with a parent's HELP: its lines between Redis's usual first and last.
func (c *Call) help(parent string, lines ...string) error {
	c.Out.Array(len(lines) + 3)
	c.Out.Simple(parent + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")
	for _, l := range lines {
		c.Out.Simple(l)
	}
	c.Out.Simple("HELP")
	c.Out.Simple("    Prints this help.")
	return nil
}
