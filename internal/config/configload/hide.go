package configload

import (
	"strings"

	"cellserver/internal/config"
	"cellserver/internal/quote"
)

// HideArgs returns args with stars for the value of each sensitive directive, such as requirepass. args is a
// command line after the program's name. Every word keeps its length, so the words fit into the memory of the
// process's arguments.
func HideArgs(args []string) []string {
	hidden := append([]string(nil), args...)
	for i := 0; i < len(hidden); i++ {
		if !strings.HasPrefix(hidden[i], "--") {
			continue
		}
		option, words, err := parseOption(args[i:])
		if err != nil || !sensitive(option[0]) {
			continue
		}
		if nameEnd := strings.IndexAny(hidden[i], "="+quote.Spaces); nameEnd >= 0 {
			hidden[i] = hidden[i][:nameEnd+1] + stars(hidden[i][nameEnd+1:])
		}
		for range words - 1 {
			i++
			hidden[i] = stars(hidden[i])
		}
	}
	return hidden
}

// HideEnviron returns an environment with stars for the value of each sensitive directive.
func HideEnviron(environ []string) []string {
	hidden := append([]string(nil), environ...)
	for i, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		directive, found := strings.CutPrefix(name, prefix)
		if found && sensitive(strings.ReplaceAll(directive, "_", "-")) {
			hidden[i] = name + "=" + stars(value)
		}
	}
	return hidden
}

// sensitive reports whether the value of a directive is secret. The value of user has passwords, and that of
// primaryauth is one, which Valkey takes.
func sensitive(name string) bool {
	d, ok := config.Lookup(strings.ToLower(name))
	return ok && d.Sensitive || strings.EqualFold(name, "user") || strings.EqualFold(name, "primaryauth")
}

func stars(s string) string { return strings.Repeat("*", len(s)) }
