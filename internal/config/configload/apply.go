package configload

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cellserver/internal/config"
	"cellserver/internal/config/value"
	"cellserver/internal/quote"
)

// Warning says that an accepted directive does not have the effect that it has in Redis.
type Warning struct {
	File string // the configuration file, "environment" or "command line"
	Line int    // from 1; 0 where there are no lines
	Text string
	// Ignored is the name of a directive that does not apply here, if Text has no reason. The log can name
	// many such directives in one line.
	Ignored string
}

// String returns the warning as one line for the log: the place, then the text.
func (w Warning) String() string { return place{w.File, w.Line}.String() + ": " + w.Text }

// place is where a directive was found.
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

// Bounds of include. They end a file that includes itself.
const (
	maxIncludeDepth = 16
	maxIncludes     = 1024
)

// loader applies directives to a configuration.
type loader struct {
	config   *config.Config
	readFile func(string) ([]byte, error)
	glob     func(string) ([]string, error)

	warnings []Warning
	warned   map[string]bool   // names that have had their warning
	users    map[string]string // the file or source of each user
	saved    bool              // the present source has a save line
	anySaved bool              // any source has a save line
	logged   bool              // any source has an appendonly line
	depth    int               // of include
	included int               // files
}

// beginSource says that the directives of another source follow.
func (l *loader) beginSource() { l.saved = false }

// followCluster switches the append-only file off in a cluster and in a sidecar, unless a source has an
// appendonly line.
func (l *loader) followCluster() {
	if len(l.config.Cluster.Nodes)+len(l.config.Upstream.Nodes) > 0 && !l.logged {
		l.config.AppendOnly = false
	}
}

// keepsLog reports whether no save points are needed. The append-only file or the log of the cluster has
// every change, and a sidecar has nothing to keep.
func keepsLog(c *config.Config) bool {
	return c.AppendOnly || len(c.Cluster.Nodes)+len(c.Upstream.Nodes) > 0
}

// setDefaultSave sets Redis's default save points if no source sets save and there is no log.
func (l *loader) setDefaultSave(keepsLog bool) {
	if !keepsLog && !l.anySaved {
		l.config.Save = []config.SavePoint{{Seconds: 3600, Changes: 1}, {Seconds: 300, Changes: 100}, {Seconds: 60, Changes: 10000}}
	}
}

// file applies a configuration file.
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

// text applies the lines of a configuration file. A byte order mark may stand before them.
func (l *loader) text(name string, text []byte) error {
	number := 0
	for raw := range bytes.SplitSeq(bytes.TrimPrefix(text, mark), []byte("\n")) {
		number++
		line := strings.Trim(string(raw), " \t\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		at := place{name, number}
		args, err := quote.Split(line)
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

// apply applies one directive: its name and its arguments. It warns of a directive without effect.
func (l *loader) apply(at place, words []string) error {
	name, args := strings.ToLower(words[0]), words[1:]
	if name == "include" {
		return l.include(at, args)
	}
	d, ok := config.Lookup(name)
	if !ok {
		return l.special(at, name, args)
	}
	if err := l.set(d, args); err != nil {
		return fmt.Errorf("%s: %s: %w%s", at, name, err, takes(d, args, err))
	}
	if d.Inert {
		if err := refused(d.Name); err != nil && d.Get(l.config) != "" {
			return fmt.Errorf("%s: %w", at, err)
		}
		l.ignore(at, name, d.Note)
	}
	return nil
}

// takes repeats the arguments that a directive refuses, and says what it takes. Nobody sees a password.
func takes(d *config.Directive, args []string, err error) string {
	given := strings.Join(args, " ")
	switch {
	case len(args) == 0:
		return fmt.Sprintf(": %s takes %s", d.Name, d.Values)
	case d.Sensitive:
		given = "the given value"
	case len(given) > mostShown:
		given = strconv.Quote(given[:mostShown]) + "…"
	default:
		given = strconv.Quote(given)
	}
	if strings.HasSuffix(err.Error(), d.Values) {
		return ", and not " + given
	}
	return fmt.Sprintf(": %s takes %s, and not %s", d.Name, d.Values, given)
}

// mostShown bounds what an error repeats.
const mostShown = 100

// set sets a directive. If the directive takes several arguments, one argument that contains spaces is
// split. Save points of one source add up; they replace those of the source before.
func (l *loader) set(d *config.Directive, args []string) (err error) {
	if d.Many && len(args) == 1 && args[0] != "" {
		if args, err = quote.Split(args[0]); err != nil {
			return err
		}
	}
	if d.Name == "save" {
		if empty := len(args) == 1 && args[0] == ""; l.saved && !empty {
			args = append(strings.Fields(d.Get(l.config)), args...)
		}
		l.saved, l.anySaved = true, true
	}
	l.logged = l.logged || d.Name == "appendonly"
	return d.Set(l.config, args)
}

// special handles a name that is not a directive of this server.
func (l *loader) special(at place, name string, args []string) error {
	if name == "loadmodule" {
		text := ignoredText(name, "this server has no modules")
		if isRedisCell(args) {
			text = "'loadmodule' is not needed: CL.THROTTLE is built in"
		}
		l.warn(at, name, text)
		return nil
	}
	if name == "user" {
		if len(args) == 0 {
			return fmt.Errorf("%s: user: %w", at, value.ErrArgs)
		}
		return l.user(at, args)
	}
	if reason, ok := ignored(name, args); ok {
		l.ignore(at, name, reason)
		return nil
	}
	err := refused(name)
	if err == nil {
		err = config.ErrUnknown(name)
	}
	return fmt.Errorf("%s: %w", at, err)
}

// user adds the definition of an ACL user. It replaces that of another file or source: after CONFIG REWRITE
// the file also has the users of these. Two of one file are an error of [acl.Users.Define]. The environment
// has a definition as one argument.
func (l *loader) user(at place, args []string) error {
	if at.file == "environment" {
		var err error
		if args, err = quote.Split(args[0]); err != nil || len(args) == 0 {
			return fmt.Errorf("%s: user: %w", at, value.ErrArgs)
		}
	}
	if file, known := l.users[args[0]]; known && file != at.file {
		isOld := func(u config.UserLine) bool { return u.Words[0] == args[0] }
		l.config.Users = slices.DeleteFunc(l.config.Users, isOld)
	}
	if l.users == nil {
		l.users = map[string]string{}
	}
	l.users[args[0]] = at.file
	l.config.Users = append(l.config.Users, config.UserLine{Place: at.String(), Words: args})
	return nil
}

// include applies the files of an include line.
func (l *loader) include(at place, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s: include: %w", at, value.ErrArgs)
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

// warn adds a warning about a name, once.
func (l *loader) warn(at place, name, text string) {
	if !l.warned[name] {
		l.warned[name] = true
		l.warnings = append(l.warnings, Warning{File: at.file, Line: at.line, Text: text})
	}
}

// ignore warns that a directive of Redis has no effect here. The reason may be empty.
func (l *loader) ignore(at place, name, reason string) {
	known := l.warned[name]
	l.warn(at, name, ignoredText(name, reason))
	if !known && reason == "" {
		l.warnings[len(l.warnings)-1].Ignored = name
	}
}

func ignoredText(name, reason string) string {
	if reason == "" {
		return fmt.Sprintf("redis directive '%s' does not apply here and is ignored", name)
	}
	return fmt.Sprintf("redis directive '%s' is ignored: %s", name, reason)
}
