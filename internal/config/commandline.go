package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// commandLine is what the arguments of the program say.
type commandLine struct {
	files   []string   // configuration files, "-" is standard input
	options [][]string // name and arguments of each option
}

func parseCommandLine(args []string) (line commandLine, err error) {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		line.files = append(line.files, args[0])
		args = args[1:]
	}
	for i := 0; i < len(args); {
		switch arg := args[i]; {
		case arg == "-" && (i == 0 || i == len(args)-1):
			line.files = append(line.files, "-")
			i++
		case arg == "--help" || arg == "-h":
			return line, ErrHelp
		case arg == "--version" || arg == "-v":
			return line, ErrVersion
		case strings.HasPrefix(arg, "--"):
			option, n, err := parseOption(args[i:])
			if err != nil {
				return line, err
			}
			line.options = append(line.options, option)
			i += n
		default:
			return line, fmt.Errorf("command line: '%s' is no option: write --name value, a configuration file first", arg)
		}
	}
	return line, nil
}

// parseOption takes an option and its arguments off the front and says how many words
// that was. "--name value", "--name=value" and "--name" "value" are the same.
//
// An option's first argument may begin with dashes, as in Redis; further ones may not.
// Only --save may have none at all, which is the empty list.
func parseOption(args []string) (option []string, n int, err error) {
	option, err = optionWord(args[0][2:])
	if err != nil {
		return nil, 0, err
	}
	n = 1
	for n < len(args) && !endsOption(option, args, n) {
		option = append(option, args[n])
		n++
	}
	if len(option) == 1 && strings.EqualFold(option[0], "save") {
		option = append(option, "")
	}
	return option, n, nil
}

// endsOption says whether the word at i begins something new.
func endsOption(option, args []string, i int) bool {
	if args[i] == "-" && i == len(args)-1 {
		return true
	}
	return strings.HasPrefix(args[i], "--") && (len(option) > 1 || strings.EqualFold(option[0], "save"))
}

func optionWord(word string) ([]string, error) {
	if name, value, ok := strings.Cut(word, "="); ok && !strings.ContainsAny(name, spaces) {
		return []string{name, value}, nil
	}
	option, err := SplitArgs(word)
	if err != nil || len(option) == 0 {
		return nil, fmt.Errorf("command line: '--%s' is no option", word)
	}
	return option, nil
}

// Prefix begins the name of every environment variable that is ours.
const Prefix = "CELLSERVER_"

// Variable is the environment variable of a directive: port is CELLSERVER_PORT.
func Variable(name string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// foreign matches the variables that Kubernetes puts into the containers beside a
// service named cellserver, and those that steer the tests.
var foreign = regexp.MustCompile(`^CELLSERVER_(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_\d+_(TCP|UDP|SCTP)(_.*)?|NO_SKIP|VECTORS)=` +
	`|^CELLSERVER_PORT=(tcp|udp|sctp)://`)

// environment applies the CELLSERVER_ variables in the order they stand in.
func (l *loader) environment(environ []string) error {
	known := slices.Concat(names, laterDirectives, []string{"loadmodule", "rename-command", "user"})
	for _, entry := range environ {
		variable, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(variable, Prefix) || foreign.MatchString(entry) {
			continue
		}
		i := slices.IndexFunc(known, func(n string) bool { return Variable(n) == variable })
		if i < 0 {
			return unknownVariable(variable)
		}
		l.saved = false // a variable is a source of its own
		if err := l.apply(place{file: "environment"}, []string{known[i], value}); err != nil {
			return err
		}
	}
	return nil
}

func unknownVariable(variable string) error {
	name := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(variable, Prefix), "_", "-"))
	if near, ok := nearest(name, names); ok {
		return fmt.Errorf("environment: unknown variable %s: did you mean %s?", variable, Variable(near))
	}
	return fmt.Errorf("environment: unknown variable %s", variable)
}
