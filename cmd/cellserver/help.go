package main

import (
	"fmt"
	"strings"

	"cellserver/internal/config"
	"cellserver/internal/config/configload"
	"cellserver/internal/word"
)

const usage = `usage: cellserver [/path/to/redis.conf | -] [--name value ...]
       cellserver COMMAND [...]

Without a COMMAND the program serves. The commands:

%s
cellserver help COMMAND explains one. Each COMMAND is also an option, such as --doctor.
-h, --help, -v, --version and --licenses may stand anywhere.
%s
The server reads a redis.conf first ("-" is standard input), then variables such as
CELLSERVER_PORT=6380, then the options. Later values replace earlier ones.

  cellserver --port 6380 --maxmemory 1gb --bind 0.0.0.0 ::1
  cellserver /etc/redis/redis.conf --save ""

%s`

const exitCodes = `Exit codes: 0 after success and after a clean stop; 1 after an error, which is one line on
standard error, and after a second SIGTERM.
`

// help returns the text of --help.
func help() string {
	var list strings.Builder
	for _, s := range subcommands() {
		head := "  " + strings.TrimSpace(s.name+" "+s.operand)
		list.WriteString(wrapped(fmt.Sprintf("%-28s", head), s.summary, 28))
	}
	return fmt.Sprintf(usage, list.String(), exitCodes, config.Usage())
}

// help returns the text of `cellserver NAME --help`.
func (s *subcommand) help() string {
	var b strings.Builder
	b.WriteString("usage: cellserver " + strings.TrimSpace(s.name+" "+s.operand))
	if s.options != nil {
		b.WriteString(" [options]")
	}
	if s.directives {
		b.WriteString(" [/path/to/redis.conf] [--name value ...]")
	}
	b.WriteString("\n\n")
	b.WriteString(wrapped("", strings.ToUpper(s.summary[:1])+s.summary[1:]+".", 0))
	if s.directives {
		b.WriteString("\nThe configuration file, the directives (--name value) and the environment are " +
			"those of the\nserver: cellserver help lists them.\n")
	}
	for i, o := range s.options {
		if i == 0 {
			b.WriteString("\nOptions, before any directive:\n\n")
		}
		b.WriteString(wrapped(fmt.Sprintf("  %-20s", strings.TrimSpace(o.name+" "+o.value)), o.summary, 22))
	}
	fmt.Fprintf(&b, "\nExample: %s\n", s.sample())
	if s.older != "" {
		fmt.Fprintf(&b, "Another name of this command is %s.\n", s.older)
	}
	b.WriteString("Exit codes: 0 after success; 1 after an error, which is one line on standard error.\n")
	return b.String()
}

// widest is the width of the help, in columns.
const widest = 96

// wrapped writes a text after a head. It begins lines with this many spaces.
func wrapped(head, text string, indent int) string {
	var b strings.Builder
	line := head
	for word := range strings.FieldsSeq(text) {
		if len(line)+len(word) >= widest {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = strings.Repeat(" ", indent)
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}

// explain is `cellserver help [COMMAND]`.
func explain(r request) error {
	if r.operand == "" {
		return configload.ErrHelp
	}
	if s := find(strings.TrimPrefix(r.operand, "--")); s != nil {
		fmt.Print(s.help())
		return nil
	}
	if name, near := word.Nearest(r.operand, names()); near {
		return fmt.Errorf("help: '%s' is no command: did you mean '%s'?", r.operand, name)
	}
	return fmt.Errorf("help: '%s' is no command: cellserver help lists the commands", r.operand)
}
