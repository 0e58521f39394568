package value

import (
	"errors"
	"slices"
	"strings"
)

// YesNo accepts yes and no, in any case.
var YesNo = one("yes, no", func(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "yes":
		return true, nil
	case "no":
		return false, nil
	}
	return false, errors.New("argument must be 'yes' or 'no'")
}, func(v bool) string {
	if v {
		return "yes"
	}
	return "no"
})

// Text accepts any bytes.
var Text = Checked("text", func(string) string { return "" })

// Enum accepts one of the words, in any case.
func Enum[T ~string](words ...T) Kind[T] {
	all := Join(words, func(w T) string { return string(w) + "," })
	all = strings.TrimSuffix(all, ",")
	parse := func(args []string) (T, error) {
		if len(args) == 1 {
			lower := T(strings.ToLower(args[0]))
			if slices.Contains(words, lower) {
				return lower, nil
			}
		}
		return "", errors.New("argument(s) must be one of the following: " + all)
	}
	return Kind[T]{Values: all, Parse: parse, Format: func(v T) string { return string(v) }}
}

// FileName accepts a name without a path. directive and noun are the words of Redis's error texts.
func FileName(directive, noun string, mayBeEmpty bool) Kind[string] {
	return Checked("file name", func(s string) string {
		switch {
		case s == "" && !mayBeEmpty:
			return directive + " can't be empty"
		case strings.ContainsAny(s, `/\`):
			return directive + " can't be a path, just a " + noun
		}
		return ""
	})
}

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
