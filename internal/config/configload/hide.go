package configload

import (
	"strings"

	"cellserver/internal/config"
	"cellserver/internal/quote"
)

// HideArgs returns a command line without the program's name in which stars replace the value of each
// sensitive directive, such as requirepass. Every word keeps its length, so the words fit into the memory of
// the process's arguments.
func HideArgs(args []string) []string {
	hidden := append([]string(nil), args...)
	for i := 0; i < len(hidden); i++ {
		if !strings.HasPrefix(hidden[i], "--") {
			continue
		}
		option, n, err := parseOption(args[i:])
		if err != nil || !sensitive(option[0]) {
			continue
		}
		if at := strings.IndexAny(hidden[i], "="+quote.Spaces); at >= 0 {
			hidden[i] = hidden[i][:at+1] + stars(hidden[i][at+1:])
		}
		for n--; n > 0; n-- {
			i++
			hidden[i] = stars(hidden[i])
		}
	}
	return hidden
}

// HideEnviron returns an environment in which stars replace the value of each sensitive directive.
func HideEnviron(environ []string) []string {
	hidden := append([]string(nil), environ...)
	for i, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if directive, ours := strings.CutPrefix(name, prefix); ours && sensitive(strings.ReplaceAll(directive, "_", "-")) {
			hidden[i] = name + "=" + stars(value)
		}
	}
	return hidden
}

// sensitive reports whether a directive has a secret value. The line of a user has passwords.
func sensitive(name string) bool {
	d, ok := config.Lookup(strings.ToLower(name))
	return ok && d.Sensitive || strings.EqualFold(name, "user")
}

func stars(s string) string { return strings.Repeat("*", len(s)) }
