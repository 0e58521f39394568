package configload

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"cellserver/internal/config"
)

// Load builds the configuration. It starts with the defaults. Then it applies the redis.conf that the
// command line names, the CELLSERVER_ variables of the environment, and the options of the command line.
// Each source replaces the values of the sources before it.
//
// args is the command line without the program's name; environ is the result of os.Environ. readFile reads
// configuration files; its argument "-" is standard input. An error names the place of the fault, or is
// [ErrHelp], [ErrVersion] or [ErrLicenses]. After an error, only log-format of the configuration is right.
func Load(args, environ []string, readFile func(string) ([]byte, error)) (*config.Config, []Warning, error) {
	l := &loader{config: config.Default(), readFile: readFile, glob: filepath.Glob}
	err := l.load(args, environ)
	return l.config, l.warnings, err
}

func (l *loader) load(args, environ []string) error {
	line, err := parseCommandLine(args)
	if err == nil {
		err = l.sources(line, environ)
	}
	if err != nil {
		l.findFormat(line.options, environ)
	}
	return err
}

// findFormat looks for log-format in the sources that an error hides, so that the error has the right form.
func (l *loader) findFormat(options [][]string, environ []string) {
	const name = "log-format"
	for _, entry := range environ {
		if value, ours := strings.CutPrefix(entry, variable(name)+"="); ours {
			_ = l.config.Set(name, []string{value}) // a wrong value is another error
		}
	}
	for _, option := range options {
		if strings.EqualFold(option[0], name) {
			_ = l.config.Set(name, option[1:])
		}
	}
}

// sources applies all sources.
func (l *loader) sources(line commandLine, environ []string) error {
	l.warned = map[string]bool{}
	for _, name := range line.files {
		if err := l.file(name); err != nil {
			return err
		}
	}
	if err := l.environment(environ); err != nil {
		return err
	}
	l.beginSource()
	for _, option := range line.options {
		if err := l.apply(place{file: "command line"}, option); err != nil {
			return err
		}
	}
	l.followCluster()
	l.setDefaultSave(keepsLog(l.config))
	return l.config.Validate()
}

// prefix begins the name of every environment variable of the server.
const prefix = "CELLSERVER_"

// variable returns the environment variable of a directive: for port it is CELLSERVER_PORT.
func variable(name string) string {
	return prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// notOurs matches the variables of Kubernetes for services such as cellserver and cellserver-http, and those of
// the tests.
var notOurs = regexp.MustCompile(`^CELLSERVER_((\w+_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT_\d+_(TCP|UDP|SCTP)(_.*)?)|NO_SKIP|VECTORS)=` +
	`|^CELLSERVER_(\w+_)?PORT=(tcp|udp|sctp)://`)

// environment applies the CELLSERVER_ variables, in their order. Each variable is a source of its own.
func (l *loader) environment(environ []string) error {
	known := slices.Concat(config.Names(), otherVersions, []string{"loadmodule", "rename-command", "user"})
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, prefix) || notOurs.MatchString(entry) {
			continue
		}
		i := slices.IndexFunc(known, func(n string) bool { return variable(n) == name })
		if i < 0 {
			return unknownVariable(name)
		}
		l.beginSource()
		if err := l.apply(place{file: "environment"}, []string{known[i], value}); err != nil {
			return fmt.Errorf("%w (%s)", err, name)
		}
	}
	return nil
}

func unknownVariable(name string) error {
	directive := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(name, prefix), "_", "-"))
	if near, ok := config.Nearest(directive); ok {
		return fmt.Errorf("environment: unknown variable %s: did you mean %s?", name, variable(near))
	}
	return fmt.Errorf("environment: unknown variable %s", name)
}
