package config

import (
	"fmt"
	"strings"
)

const referenceHead = `# Configuration

Generated from the table of directives (` + "`go generate ./internal/config`" + `); do not edit.

The same names work in a ` + "`redis.conf`" + `, on the command line (` + "`--maxmemory-policy allkeys-lru`" + `), in the
environment (` + "`CELLSERVER_MAXMEMORY_POLICY=allkeys-lru`" + `) and with ` + "`CONFIG GET`" + ` and ` + "`CONFIG SET`" + `.
The command line replaces values of the environment, and the environment replaces values of the file.

Memory is a number of bytes with an optional unit in any case. ` + "`1k`" + ` is 1000, ` + "`1kb`" + ` is 1024.
The units with m and g work in the same way.
The server does not start with an unknown directive: the error names its place and the nearest directive.

The column CONFIG SET says whether a running server can change the directive: *yes*, *no*, or *protected*
(` + "`enable-protected-configs`" + ` decides).
`

const inertHead = `
# Directives of Redis without effect

The server checks these directives, and CONFIG GET shows them, so that configuration files and client tools of
Redis work. They have no other effect. The server logs a warning at the start for each one that a source sets.
`

// markdown returns the text of docs/configuration.md.
func markdown() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	title, inert := "", false
	for _, d := range table {
		if d.Hidden {
			continue
		}
		if d.Inert && !inert {
			inert = true
			b.WriteString(inertHead)
		}
		if d.Group != title {
			title = d.Group
			groupHead(&b, d)
		}
		row(&b, d)
	}
	return b.String()
}

func groupHead(b *strings.Builder, d Directive) {
	fmt.Fprintf(b, "\n## %s\n\n", d.Group)
	if d.Inert {
		fmt.Fprintf(b, "They configure %s.\n\n| directive | values | default | CONFIG SET |\n|---|---|---|---|\n", d.Summary())
		return
	}
	b.WriteString("| directive | values | default | CONFIG SET | |\n|---|---|---|---|---|\n")
}

func row(b *strings.Builder, d Directive) {
	name := code(d.Name)
	if len(d.Aliases) > 0 {
		name += " (" + code(strings.Join(d.Aliases, "`, `")) + ")"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s |", name, d.Values, code(shown(d.Default)), settable(d))
	if !d.Inert {
		fmt.Fprintf(b, " %s |", d.Summary())
	}
	b.WriteByte('\n')
}

func code(s string) string { return "`" + s + "`" }

func settable(d Directive) string {
	switch {
	case !d.Mutable:
		return "no"
	case d.Protected:
		return "protected"
	}
	return "yes"
}
