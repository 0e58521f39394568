package config

import (
	"fmt"
	"regexp"
	"strings"
)

// link is a link of Markdown.
var link = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`)

// Usage returns every directive that has an effect here, as plain text for --help.
func Usage() string {
	var b strings.Builder
	title := ""
	for _, d := range table {
		if d.Inert {
			continue
		}
		if d.Group != title {
			title = d.Group
			fmt.Fprintf(&b, "%s:\n", title)
		}
		summary := strings.ReplaceAll(link.ReplaceAllString(d.Summary, "$1"), "`", "'")
		fmt.Fprintf(&b, "  --%s (%s)\n      %s\n", d.Name, shown(d.Default), summary)
	}
	return b.String()
}

func shown(value string) string {
	if value == "" {
		return `""`
	}
	return value
}
