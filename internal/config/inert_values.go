package config

import (
	"errors"
	"slices"
	"strings"
)

// Kinds of single inert directives: checked as Redis checks them, since a tool that
// sets nonsense should hear so.

// eventClasses in the order in which CONFIG GET shows them; the first ten are A.
const eventClasses = "g$lshzxetdnKEm"

var keyspaceEvents = one("letters", func(s string) (string, error) {
	set := strings.ReplaceAll(s, "A", "g$lshzxetd")
	if strings.Trim(set, eventClasses) != "" {
		return "", errors.New("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")
	}
	shown := strings.Map(func(r rune) rune {
		if strings.ContainsRune(set, r) {
			return r
		}
		return -1
	}, eventClasses)
	if rest, all := strings.CutPrefix(shown, "g$lshzxetd"); all {
		shown = "A" + strings.TrimPrefix(rest, "n")
	}
	return shown, nil
}, same)

var replicaOf = kind[string]{
	values: "host and port, or no one", many: true, format: same,
	parse: func(args []string) (string, error) {
		if strings.Join(args, "") == "" { // CONFIG GET's form of none
			return "", nil
		}
		if len(args) != 2 || strings.ContainsAny(args[0], spaces) {
			return "", errArgs
		}
		if strings.EqualFold(args[0], "no") && strings.EqualFold(args[1], "one") {
			return "", nil
		}
		port, ok := cInteger(args[1])
		if !ok || port < 0 || port > 65535 {
			return "", errors.New("Invalid master port")
		}
		return args[0] + " " + decimal(port), nil
	},
}

var oomScore = then(enum("no", "yes", "relative", "absolute"), func(s string) string {
	if s == "relative" {
		return "yes"
	}
	return s
})

var oomScores = kind[string]{
	values: "three integers", many: true, format: same,
	parse: func(args []string) (string, error) {
		if len(args) != 3 {
			return "", errArgs
		}
		var scores []int64
		for _, arg := range args {
			n, ok := cInteger(arg)
			if !ok || n < -2000 || n > 2000 {
				return "", errors.New("Invalid oom-score-adj-values, elements must be between -2000 and 2000.")
			}
			scores = append(scores, n)
		}
		return join(scores, decimal), nil
	},
}

var procTitleNames = []string{"title", "listen-addr", "server-mode", "port", "tls-port", "unixsocket", "config-file"}

// procTitle takes a template in which {name} is one of Redis's and {{ is a brace.
var procTitle = checked("template", func(s string) string {
	const invalid = "template format is invalid or contains unknown variables"
	if s == "" {
		return invalid
	}
	for {
		_, after, found := strings.Cut(s, "{")
		if !found {
			return ""
		}
		if escaped, ok := strings.CutPrefix(after, "{"); ok {
			s = escaped
			continue
		}
		name, rest, closed := strings.Cut(after, "}")
		if !closed || !slices.Contains(procTitleNames, name) {
			return invalid
		}
		s = rest
	}
})
