package value

import (
	"errors"
	"slices"
	"strings"
)

// The directives of these kinds have no effect here. The server checks their values as Redis does, so that
// a tool gets the same errors.

// OOMScore accepts the words of oom-score-adj.
var OOMScore = Then(Enum("no", "yes", "relative", "absolute"), func(s string) string {
	if s == "relative" {
		return "yes"
	}
	return s
})

// OOMScores accepts three integers from -2000 to 2000.
var OOMScores = Kind[string]{
	Values: "three integers", Many: true, Format: same,
	Parse: func(args []string) (string, error) {
		if len(args) != 3 {
			return "", ErrArgs
		}
		var scores []int64
		for _, arg := range args {
			n, ok := ParseLoose(arg)
			if !ok || n < -2000 || n > 2000 {
				return "", errors.New("Invalid oom-score-adj-values, elements must be between -2000 and 2000.")
			}
			scores = append(scores, n)
		}
		return Join(scores, decimal), nil
	},
}

var procTitleNames = []string{"title", "listen-addr", "server-mode", "port", "tls-port", "unixsocket", "config-file"}

// ProcTitle accepts a template. It may contain the variables of Redis, as {name}; {{ is a brace.
var ProcTitle = Checked("template", func(s string) string {
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
