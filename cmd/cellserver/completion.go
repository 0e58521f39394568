package main

import (
	"embed"
	"fmt"
	"strings"

	"cellserver/internal/config"
)

//go:embed completion.bash completion.zsh
var scripts embed.FS

// complete is `cellserver completion SHELL`. It prints a script, with the tables of sub-commands and
// directives. Both shells know the same `case`.
func complete(r request) error {
	text, err := scripts.ReadFile("completion." + r.operand)
	if err != nil {
		return fmt.Errorf("completion: there is no script for '%s': name bash or zsh", r.operand)
	}
	var directives, values, own, described []string
	for _, d := range config.Directives() {
		if d.Inert {
			continue
		}
		directives = append(directives, "--"+d.Name)
		if words := choices(&d); words != nil {
			values = append(values, fmt.Sprintf("--%s) list='%s' ;;", d.Name, strings.Join(words, " ")))
		}
	}
	for _, s := range subcommands() {
		options := []string{"--help"}
		for _, o := range s.options {
			options = append(options, o.name)
		}
		if s.directives {
			options = append(options, "$directives")
		}
		described = append(described, fmt.Sprintf("'%s:%s'", s.name, s.summary))
		own = append(own, fmt.Sprintf("%s) own=\"%s\" ;;",
			strings.TrimSuffix(s.name+"|"+s.older, "|"), strings.Join(options, " ")))
	}
	commands := strings.Join(names(), " ")
	values = append(values, "completion) list='bash zsh' ;;", "help) list='"+commands+"' ;;")
	own = append(own, `*) own="`+strings.Join(anywhere, " ")+` $directives" ;;`)
	fmt.Print(strings.NewReplacer(
		"@values@", strings.Join(values, "\n\t"), "@options@", strings.Join(own, "\n\t"),
		"@commands@", commands, "@directives@", strings.Join(directives, " "),
		"@described@", strings.Join(described, "\n\t\t\t\t"),
	).Replace(string(text)))
	return nil
}

// choices returns the words that a directive takes, nil if it takes others, too.
func choices(d *config.Directive) []string {
	words := strings.Split(d.Values, ",")
	for i, word := range words {
		words[i] = strings.TrimSpace(word)
		if len(words) == 1 || d.Set(config.Default(), words[i:i+1]) != nil {
			return nil
		}
	}
	return words
}
