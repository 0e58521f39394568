package configload

import (
	"errors"
	"fmt"
	"strings"

	"cellserver/internal/quote"
)

// Options of the command line that ask for no configuration.
var (
	ErrHelp    = errors.New("help was requested")    // print config.Usage and exit with 0
	ErrVersion = errors.New("version was requested") // print the version and exit with 0

	ErrLicenses = errors.New("licences were requested") // print the licences and exit with 0
)

// commandLine is the parsed command line.
type commandLine struct {
	files   []string   // configuration files; "-" is standard input
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
		case arg == "--licenses":
			return line, ErrLicenses
		case strings.HasPrefix(arg, "--"):
			option, n, err := parseOption(args[i:])
			if err != nil {
				return line, err
			}
			line.options = append(line.options, option)
			i += n
		default:
			return line, fmt.Errorf("command line: '%s' is no option: write --name value, and a configuration file first", arg)
		}
	}
	return line, nil
}

// parseOption returns the first option of args with its arguments, and how many words they take.
// "--name value", "--name=value" and "--name" "value" are the same.
//
// As in Redis, an option's first argument may begin with dashes; further ones may not. Only --save may have
// no argument, which is the empty list.
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

// endsOption reports whether the word at i does not belong to the option.
func endsOption(option, args []string, i int) bool {
	if args[i] == "-" && i == len(args)-1 {
		return true
	}
	return strings.HasPrefix(args[i], "--") && (len(option) > 1 || strings.EqualFold(option[0], "save"))
}

// optionWord splits the word after the dashes: a name, which a value may follow.
func optionWord(word string) ([]string, error) {
	if name, value, ok := strings.Cut(word, "="); ok && !strings.ContainsAny(name, quote.Spaces) {
		return []string{name, value}, nil
	}
	option, err := quote.Split(word)
	if err != nil || len(option) == 0 {
		return nil, fmt.Errorf("command line: '--%s' is no option", word)
	}
	return option, nil
}
