package config

import (
	"fmt"
	"strings"
)

const usageHead = `usage: cellserver [/path/to/redis.conf | -] [--name value ...]

The server reads a redis.conf first ("-" is standard input), then variables such as
CELLSERVER_PORT=6380, then the options. Later values replace earlier ones.

  cellserver --port 6380 --maxmemory 1gb --bind 0.0.0.0 ::1
  cellserver /etc/redis/redis.conf --save ""

`

const usageTail = `
  -h, --help     print this text
  -v, --version  print the version
  --licenses     print the licences of the modules in the program
  --doctor [HOST:PORT]       print the state of a running server, and what to do
  --cluster-check HOST:PORT  print the state of a cluster, as the node at this address knows it
  --cluster-recover  make this node the only one of a new cluster, with what its disk has
  --cluster-import [PATH]    make this node the only one of a new cluster, with the keys of its
                             dir, of another directory or of an RDB file
  --check-rules FILE         say whether a rules-file is right, and stop
`

// Usage returns the text for --help: every directive that has an effect here.
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
		summary := strings.ReplaceAll(d.Summary, "`", "'")
		fmt.Fprintf(&b, "  --%s (%s)\n      %s\n", d.Name, shown(d.Default), summary)
	}
	b.WriteString(usageTail)
	return b.String()
}

func shown(value string) string {
	if value == "" {
		return `""`
	}
	return value
}
