package config

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// What the command line may ask for instead of a configuration.
var (
	ErrHelp    = errors.New("help is asked for")    // print Usage and exit 0
	ErrVersion = errors.New("version is asked for") // print the version and exit 0
)

// Warning is something that was accepted and does not mean what it may seem to.
type Warning struct {
	File string // the configuration file, "environment" or "command line"
	Line int    // from 1; 0 where there are no lines
	Text string
	// Ignored is the name of a directive of Redis of which the text says no more than
	// that it does not apply, so that many may be told in one line. "" otherwise.
	Ignored string
}

// String gives the warning as one line for the log: where, then what.
func (w Warning) String() string { return place{w.File, w.Line}.String() + ": " + w.Text }

// place is where a directive stands.
type place struct {
	file string
	line int
}

func (p place) String() string {
	if p.line == 0 {
		return p.file
	}
	return fmt.Sprintf("%s:%d", p.file, p.line)
}

// Load builds the configuration: the defaults, then the redis.conf that the command
// line names, the CELLSERVER_ variables of the environment, and the options of the
// command line, each over the one before.
//
// args is the command line without the program's name, environ as os.Environ gives it.
// readFile reads configuration files; it is asked for "-" to read standard input. An
// error names the place of the fault; [ErrHelp] and [ErrVersion] are no faults.
func Load(args, environ []string, readFile func(string) ([]byte, error)) (*Config, []Warning, error) {
	l := &loader{config: Default(), readFile: readFile, glob: filepath.Glob}
	if err := l.load(args, environ); err != nil {
		return nil, l.warnings, err
	}
	return l.config, l.warnings, nil
}

// Bounds of include, against files that include themselves.
const (
	maxIncludeDepth = 16
	maxIncludes     = 1024
)

type loader struct {
	config   *Config
	readFile func(string) ([]byte, error)
	glob     func(string) ([]string, error)

	warnings []Warning
	warned   map[string]bool // the names that have had their warning
	saved    bool            // this source has given a save line
	chosen   bool            // any source has
	depth    int
	included int
}

func (l *loader) load(args, environ []string) error {
	line, err := parseCommandLine(args)
	if err != nil {
		return err
	}
	l.warned = map[string]bool{}
	for _, name := range line.files {
		if err := l.file(name); err != nil {
			return err
		}
	}
	l.saved = false
	if err := l.environment(environ); err != nil {
		return err
	}
	l.saved = false
	for _, option := range line.options {
		if err := l.apply(place{file: "command line"}, option); err != nil {
			return err
		}
	}
	l.settle(l.config.AppendOnly)
	return l.config.Validate()
}

// settle gives save, if nobody has set it, its default without a log: Redis's.
func (l *loader) settle(appendOnly bool) {
	if !appendOnly && !l.chosen {
		l.config.Save = []SavePoint{{3600, 1}, {300, 100}, {60, 10000}}
	}
}

func (l *loader) file(name string) error {
	text, err := l.readFile(name)
	if err != nil {
		return fmt.Errorf("can't open config file '%s': %w", name, err)
	}
	if name == "-" {
		name = "standard input"
	}
	return l.text(name, text)
}

// text applies the lines of a configuration file.
func (l *loader) text(name string, text []byte) error {
	number := 0
	for raw := range bytes.SplitSeq(text, []byte("\n")) {
		number++
		line := strings.Trim(string(raw), " \t\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		at := place{name, number}
		args, err := SplitArgs(line)
		if err != nil {
			return fmt.Errorf("%s: %w in configuration line", at, err)
		}
		if len(args) == 0 {
			continue
		}
		if err := l.apply(at, args); err != nil {
			return err
		}
	}
	return nil
}

// apply takes one directive: its name and its arguments. What has no effect is warned
// of; but where a field waits for its feature, asking for the default gets what it asks.
func (l *loader) apply(at place, words []string) error {
	name, args := strings.ToLower(words[0]), words[1:]
	if name == "include" {
		return l.include(at, args)
	}
	d, ok := Lookup(name)
	if !ok {
		return l.special(at, name, args)
	}
	if err := l.set(d, args); err != nil {
		return fmt.Errorf("%s: %s: %w", at, name, err)
	}
	if d.Inert && !(d.field && d.get(l.config) == d.Default) {
		l.ignore(at, name, d.note)
	}
	return nil
}

// set gives a directive its arguments. Where several are taken, one that holds spaces
// is as good; lines of save add up within a source, a source replaces those before.
func (l *loader) set(d *Directive, args []string) (err error) {
	if d.Many && len(args) == 1 && args[0] != "" {
		if args, err = SplitArgs(args[0]); err != nil {
			return err
		}
	}
	if d.Name == "save" {
		if empty := len(args) == 1 && args[0] == ""; l.saved && !empty {
			args = append(strings.Fields(d.get(l.config)), args...)
		}
		l.saved, l.chosen = true, true
	}
	return d.set(l.config, args)
}

func (l *loader) include(at place, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s: include: %w", at, errArgs)
	}
	files := args
	if strings.ContainsAny(args[0], "*?[") {
		var err error
		if files, err = l.glob(args[0]); err != nil {
			return fmt.Errorf("%s: include: %w", at, err)
		}
	}
	if l.depth == maxIncludeDepth {
		return fmt.Errorf("%s: include: more than %d files deep", at, maxIncludeDepth)
	}
	l.depth++
	defer func() { l.depth-- }()
	for _, name := range files {
		if l.included++; l.included > maxIncludes {
			return fmt.Errorf("%s: include: more than %d files", at, maxIncludes)
		}
		if err := l.file(name); err != nil {
			return fmt.Errorf("%s: include: %w", at, err)
		}
	}
	return nil
}

// warn says something about a name, once.
func (l *loader) warn(at place, name, text string) {
	if !l.warned[name] {
		l.warned[name] = true
		l.warnings = append(l.warnings, Warning{File: at.file, Line: at.line, Text: text})
	}
}

// ignore warns that a directive of Redis has no effect here.
func (l *loader) ignore(at place, name, note string) {
	known := l.warned[name]
	l.warn(at, name, ignores(name, note))
	if !known && note == "" {
		l.warnings[len(l.warnings)-1].Ignored = name
	}
}

func ignores(name, note string) string {
	if note == "" {
		return fmt.Sprintf("redis directive '%s' does not apply here and is ignored", name)
	}
	return fmt.Sprintf("redis directive '%s' is ignored: %s", name, note)
}
