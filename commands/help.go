package commands

import (
	"slices"
	"strings"
)

// HelpCommand returns the HELP subcommand of a parent. The subcommands of the parent bring the
// lines. since is the Redis version.
func HelpCommand(since string) *Command {
	return &Command{
		Name: "help", Arity: 2, Flags: Loading | Stale, Since: since, Run: HelpOfParent,
		Summary: "Show helpful text about the different subcommands", Complexity: "O(1)",
	}
}

// HelpOfParent replies with the lines of HELP.
func HelpOfParent(c *Call) error {
	parent := c.Cmd.parent
	var lines []string
	for _, s := range parent.Subs {
		lines = slices.Concat(lines, s.Help)
	}
	return c.Help(strings.ToUpper(parent.Name), lines...)
}

// SubcommandSyntax is the reply of a subcommand to unknown arguments.
func (c *Call) SubcommandSyntax() error {
	return UnknownSubcommandOrArity(strings.ToUpper(c.Cmd.parent.Name), c.Args[1])
}

// Help replies with lines between Redis's usual first and last lines of HELP.
func (c *Call) Help(parent string, lines ...string) error {
	c.Out.Array(len(lines) + 3)
	c.Out.Simple(parent + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:")
	for _, l := range lines {
		c.Out.Simple(l)
	}
	c.Out.Simple("HELP")
	c.Out.Simple("    Prints this help.")
	return nil
}
