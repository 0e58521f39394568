package config

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

//go:embed summaries.json
var summariesText []byte

// summaries has the words about each directive with an effect, and about each group of others. A start does
// not parse them.
var summaries = sync.OnceValue(func() (all map[string]string) {
	if err := json.Unmarshal(summariesText, &all); err != nil {
		panic("config: summaries.json: " + err.Error())
	}
	return all
})

// Summary says in words of Markdown what the directive is for.
func (d *Directive) Summary() string { return cmp.Or(summaries()[d.Name], summaries()[d.Group]) }

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
		summary := strings.ReplaceAll(link.ReplaceAllString(d.Summary(), "$1"), "`", "'")
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
