package config

import (
	"fmt"
	"strings"
)

const usageHead = `usage: cellserver [/path/to/redis.conf | -] [--name value ...]

A redis.conf is read first ("-" reads it from standard input), then variables such
as CELLSERVER_PORT=6380, then the options; the last word counts.

  cellserver --port 6380 --maxmemory 1gb --bind 0.0.0.0 ::1
  cellserver /etc/redis/redis.conf --save ""

`

// Usage is the answer to --help: the options that do something here.
func Usage() string {
	var b strings.Builder
	b.WriteString(usageHead)
	title := ""
	for _, d := range table {
		if d.Inert {
			continue
		}
		if d.Group != title {
			title = d.Group
			fmt.Fprintf(&b, "%s:\n", title)
		}
		fmt.Fprintf(&b, "  --%s (%s)\n      %s\n", d.Name, shown(d.Default), strings.ReplaceAll(d.Summary, "`", "'"))
	}
	b.WriteString("\n  -h, --help     this text\n  -v, --version  the version\n")
	return b.String()
}

func shown(value string) string {
	if value == "" {
		return `""`
	}
	return value
}

const referenceHead = `# Configuration

Generated from the table of directives (` + "`go generate ./internal/config`" + `); do not edit.

The same names work in a ` + "`redis.conf`" + `, on the command line (` + "`--maxmemory-policy allkeys-lru`" + `), in the
environment (` + "`CELLSERVER_MAXMEMORY_POLICY=allkeys-lru`" + `) and with ` + "`CONFIG GET`" + ` and ` + "`CONFIG SET`" + `.
The command line is stronger than the environment, which is stronger than the file.

Memory is a number of bytes with an optional unit, in any case: ` + "`1k`" + ` is 1000, ` + "`1kb`" + ` 1024, and so on with m and g.
A directive that is unknown is refused with its place and the nearest name.

CONFIG SET: *yes*, *no* (start-up only) or *protected* (as ` + "`enable-protected-configs`" + ` says).
`

const inertHead = `
# Directives of Redis without effect

They are checked, kept and read back, so that configuration files and client tools of Redis work, and nothing
follows from them. One that stands in a configuration file gives one warning at the start.
`

// Markdown is docs/configuration.md.
func Markdown() string {
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
		fmt.Fprintf(b, "Here: %s.\n\n| directive | values | default | CONFIG SET |\n|---|---|---|---|\n", d.Summary)
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
		fmt.Fprintf(b, " %s |", d.Summary)
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
