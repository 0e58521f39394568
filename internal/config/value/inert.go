package value

import (
	"errors"
	"slices"
	"strings"

	"cellserver/internal/quote"
)

// The directives of these kinds have no effect here. The server checks their values as Redis does, so that
// a tool gets the same errors.

// ReplicaOf accepts a host and a port, or "no one".
var ReplicaOf = Kind[string]{
	Values: "host and port, or no one", Many: true, Format: same,
	Parse: func(args []string) (string, error) {
		if strings.Join(args, "") == "" { // the form of CONFIG GET for none
			return "", nil
		}
		if len(args) != 2 || strings.ContainsAny(args[0], quote.Spaces) {
			return "", ErrArgs
		}
		if strings.EqualFold(args[0], "no") && strings.EqualFold(args[1], "one") {
			return "", nil
		}
		port, ok := ParseLoose(args[1])
		if !ok || port < 0 || port > 65535 {
			return "", errors.New("Invalid master port")
		}
		return args[0] + " " + decimal(port), nil
	},
}

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

// Hostname accepts a host name of up to 255 characters.
var Hostname = Checked("host name", func(s string) string {
	const allowed = "-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	switch {
	case len(s) >= 256:
		return "Hostnames must be less than 256 characters"
	case strings.Trim(s, allowed) != "":
		return "Hostnames may only contain alphanumeric characters, hyphens or dots"
	}
	return ""
})
