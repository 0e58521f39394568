package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"cellserver/internal/config"
	"cellserver/internal/config/configload"
	"cellserver/internal/word"
)

// subcommand is what the program does in the place of a server, by `cellserver NAME` or `cellserver --NAME`.
type subcommand struct {
	name, older string // older is another name, "" for none
	operand     string // what follows the name: "FILE", or "[FILE]" if it may be absent; "" for nothing
	summary     string
	options     []option // may follow, before directives
	directives  bool     // may follow, as if the program served
	example     string   // words that may follow the name
	run         func(request) error
}

// option is an option of a sub-command. value says what follows its name, "" for nothing.
type option struct{ name, value, summary string }

// request is the command line of a sub-command.
type request struct {
	operand  string
	options  map[string]string // by their names; an option without a value has its name
	config   *config.Config    // of the directives, the environment and the configuration file
	warnings []configload.Warning
}

// lonely are directives of a node that begins a cluster.
const lonely = "--dir data --cluster-enabled yes --cluster-nodes 127.0.0.1:7001 127.0.0.1:7002"

// subcommands returns the table of sub-commands, in the order of the help.
func subcommands() []subcommand {
	return []subcommand{
		{name: "doctor", operand: "[HOST:PORT]", directives: true, options: doctorOptions, run: examine,
			summary: "say how a running server is, and what to do",
			example: "127.0.0.1:6380 --tls --cacert ca.crt --user ann --requirepass secret"},
		{name: "ping", directives: true, run: ping, example: "--port 6380",
			summary: "ask whether the server with these directives answers"},
		{name: "check-config", directives: true, run: checkConfig,
			summary: "say whether a server with these directives could start",
			example: "/etc/redis/redis.conf --port 6380"},
		{name: "check-rules", operand: "FILE", run: checkRules, example: "rules.yaml",
			summary: "say whether a rules-file is right"},
		{name: "cluster-check", operand: "HOST:PORT", directives: true, run: clusterCheck,
			summary: "say how a cluster is, as a node of it knows", example: "127.0.0.1:6379"},
		{name: "cluster-recover", directives: true, run: clusterRecover, example: "--port 7001 " + lonely,
			summary: "make this node the only one of a new cluster, with what its disk has"},
		{name: "import", older: "cluster-import", operand: "[PATH]", directives: true, run: clusterImport,
			summary: "make this node the only one of a new cluster, with the keys of its dir or of PATH: " +
				"a directory or an RDB file", example: "dump.rdb " + lonely},
		{name: "completion", operand: "SHELL", run: complete, example: "bash",
			summary: "print a script that completes command lines in bash or zsh"},
		{name: "licenses", run: func(request) error { return configload.ErrLicenses },
			summary: "print the licences of the modules in the program"},
		{name: "version", run: func(request) error { return configload.ErrVersion },
			summary: "print the version"},
		{name: "help", operand: "[COMMAND]", run: explain, example: "doctor",
			summary: "explain a command, or list all commands and directives"},
	}
}

// names returns the names of all sub-commands.
func names() (all []string) {
	for _, s := range subcommands() {
		all = append(all, s.name)
		if s.older != "" {
			all = append(all, s.older)
		}
	}
	return all
}

// find returns the sub-command with a name, and nil if there is none.
func find(name string) *subcommand {
	for _, s := range subcommands() {
		if name == s.name || name != "" && name == s.older {
			return &s
		}
	}
	return nil
}

// anywhere are options that may stand anywhere on the command line. configload reads them.
var anywhere = []string{"--help", "-h", "--version", "-v", "--licenses"}

// chosen returns the sub-command at the beginning of a command line, and nil for a server.
func chosen(args []string) *subcommand {
	if len(args) == 0 || slices.Contains(anywhere, args[0]) {
		return nil
	}
	return find(strings.TrimPrefix(args[0], "--"))
}

// execute reads the words after the name, and runs the sub-command.
func (s *subcommand) execute(args []string) error {
	if slices.ContainsFunc(args, func(arg string) bool { return arg == "--help" || arg == "-h" }) {
		fmt.Print(s.help())
		return nil
	}
	r, err := s.parse(args)
	if err != nil {
		return err
	}
	return s.run(r)
}

// parse reads the operand, the options of the sub-command, and directives.
func (s *subcommand) parse(args []string) (r request, err error) {
	if s.operand != "" && len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		r.operand, args = args[0], args[1:]
	}
	if r.operand == "" && s.operand != "" && s.operand[0] != '[' {
		return r, fmt.Errorf("%s needs %s: %s", s.name, s.operand, s.sample())
	}
	r.options = map[string]string{}
	for len(args) > 0 {
		name, value, given := strings.Cut(args[0], "=")
		i := slices.IndexFunc(s.options, func(o option) bool { return o.name == name })
		if i < 0 {
			break
		}
		args = args[1:]
		switch o := s.options[i]; {
		case o.value == "":
			value = name
		case !given && len(args) == 0:
			return r, fmt.Errorf("%s needs %s: %s", name, o.value, s.sample())
		case !given:
			value, args = args[0], args[1:]
		}
		r.options[name] = value
	}
	if s.directives {
		r.config, r.warnings, err = configload.Load(args, os.Environ(), new(fileReader).read)
	} else if len(args) > 0 {
		err = fmt.Errorf("%s takes no %q: %s", s.name, args[0], s.sample())
	}
	return r, err
}

// sample returns a command line as an example.
func (s *subcommand) sample() string {
	return strings.TrimSpace("cellserver " + s.name + " " + s.example)
}

// unknown improves the error of a command line that begins with a word without a dash, a dot or a slash. It
// may be a misspelled sub-command.
func unknown(args []string, err error) error {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.ContainsAny(args[0], "./") {
		return err
	}
	meant := ": cellserver help lists the commands; without a command the program serves"
	name, near := word.Nearest(args[0], names())
	if near {
		meant = fmt.Sprintf(": did you mean '%s'?", name)
	}
	if _, gone := os.Stat(args[0]); !errors.Is(gone, fs.ErrNotExist) ||
		!near && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("'%s' is no command, and there is no configuration file '%[1]s'%[2]s", args[0], meant)
}
