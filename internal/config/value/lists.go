package value

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"cellserver/internal/quote"
)

const maxBindAddresses = 16

// Addresses accepts up to 16 addresses.
var Addresses = Texts("up to 16 addresses", func(args []string) error {
	if len(args) > maxBindAddresses {
		return errors.New("Too many bind addresses specified.")
	}
	return nil
})

const maxHostnames = 16

// Hostnames accepts up to 16 host names. A name may have underscores, as the names of containers do.
var Hostnames = Texts("up to 16 host names", func(args []string) error {
	if len(args) > maxHostnames {
		return errors.New("there are more than 16 host names")
	}
	for _, arg := range args {
		if _, err := Hostname.Parse([]string{strings.ReplaceAll(arg, "_", "-")}); err != nil {
			return err
		}
		if arg == "" {
			return errors.New("a host name is empty")
		}
	}
	return nil
})

// Percentiles accepts percentiles from 0 to 100.
var Percentiles = Several("percentiles from 0 to 100", func(args []string) ([]float64, error) {
	list := make([]float64, len(args))
	for i, arg := range args {
		p, err := strconv.ParseFloat(arg, 64)
		if err != nil || math.IsNaN(p) || strings.Contains(arg, "_") {
			return nil, errors.New("Invalid latency-tracking-info-percentiles parameters")
		}
		if p < 0 || p > 100 {
			return nil, errors.New("latency-tracking-info-percentiles parameters should sit " +
				"between [0.0,100.0]")
		}
		list[i] = p
	}
	return list, nil
}, func(p float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(p, 'f', 6, 64), "0"), ".")
})

// signalWords are the flags of a shutdown in the order of CONFIG GET. The first word stands for none of them.
var signalWords = []string{"default", "save", "nosave", "now", "force"}

// SignalFlags accepts the flags of shutdown-on-sigint and shutdown-on-sigterm.
var SignalFlags = Kind[[]string]{
	Values: Enum(signalWords...).Values, Many: true,
	Parse: func(args []string) ([]string, error) {
		if len(args) == 0 {
			args = []string{""}
		}
		for _, arg := range args {
			if _, err := Enum(signalWords...).Parse([]string{arg}); err != nil {
				return nil, err
			}
		}
		set := slices.DeleteFunc(slices.Clone(signalWords[1:]), func(w string) bool {
			return !slices.ContainsFunc(args, func(a string) bool { return strings.EqualFold(a, w) })
		})
		if slices.Contains(set, "save") && slices.Contains(set, "nosave") {
			return nil, errors.New("shutdown options SAVE and NOSAVE can't be used simultaneously")
		}
		return set, nil
	},
	Format: func(set []string) string { return cmp.Or(strings.Join(set, " "), signalWords[0]) },
}

// eventClasses are the letters in the order of CONFIG GET. The first ten together are A.
const eventClasses = "g$lshzxetdnKEm"

// KeyspaceEvents accepts the letters of notify-keyspace-events.
var KeyspaceEvents = one("letters", func(s string) (string, error) {
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
		shown = "A" + rest
	}
	return shown, nil
}, func(letters string) string { return strings.Replace(letters, "An", "A", 1) }) // Redis shows no n beside A

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
