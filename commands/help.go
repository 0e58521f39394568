package commands

import (
	"slices"
	"strings"
)

// HelpCommand returns the subcommand HELP of a parent. It replies with the Help lines of all
// subcommands.
func HelpCommand() *Command {
	return &Command{Name: "help", Arity: 2, Flags: Loading | Stale, Run: HelpOfParent}
}

// HelpOfParent replies with the Help lines of all subcommands of the parent.
func HelpOfParent(c *Call) error {
	parent := c.Cmd.parent
	var lines []string
	for _, s := range parent.Subs {
		lines = slices.Concat(lines, s.Docs().Help)
	}
	return c.Help(strings.ToUpper(parent.Name), lines...)
}

// SubcommandSyntax is the error of a subcommand with unknown arguments.
func (c *Call) SubcommandSyntax() error {
	return UnknownSubcommandOrArity(strings.ToUpper(c.Cmd.parent.Name), c.Args[1])
}

// Help replies with lines, between the first and the last lines that every HELP of Redis has.
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
